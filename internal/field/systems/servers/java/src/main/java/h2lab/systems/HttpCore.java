package h2lab.systems;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.nio.AsyncRequestConsumer;
import org.apache.hc.core5.http.nio.AsyncServerRequestHandler;
import org.apache.hc.core5.http.nio.entity.DiscardingEntityConsumer;
import org.apache.hc.core5.http.nio.support.AsyncResponseBuilder;
import org.apache.hc.core5.http.nio.support.BasicRequestConsumer;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.impl.nio.bootstrap.H2ServerBootstrap;
import org.apache.hc.core5.http2.ssl.H2ServerTlsStrategy;
import org.apache.hc.core5.reactor.IOReactorConfig;

/** Apache HttpComponents Core 5, whose connections have a socket time-out and no limit of requests. */
final class HttpCore {
    private HttpCore() {}

    static void start(int port, Path certificate, Path key, int idleSeconds) throws Exception {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(Files.keyStore(certificate, key), Files.PASSWORD);
        var tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), null, null);
        var server = H2ServerBootstrap.bootstrap()
                .setVersionPolicy(HttpVersionPolicy.NEGOTIATE)
                .setCanonicalHostName("127.0.0.1")
                .setIOReactorConfig(IOReactorConfig.custom().setSoTimeout(idleSeconds, TimeUnit.SECONDS).build())
                .setTlsStrategy(new H2ServerTlsStrategy(tls))
                .register("*", new Answer())
                .create();
        server.start();
        server.listen(new InetSocketAddress("127.0.0.1", port), URIScheme.HTTPS).get();
    }

    private static final class Answer implements AsyncServerRequestHandler<Message<HttpRequest, Void>> {
        @Override
        public AsyncRequestConsumer<Message<HttpRequest, Void>> prepare(
                HttpRequest request, EntityDetails entity, HttpContext context) {
            return new BasicRequestConsumer<>(entity == null ? null : new DiscardingEntityConsumer<>());
        }

        @Override
        public void handle(Message<HttpRequest, Void> message, ResponseTrigger trigger, HttpContext context)
                throws HttpException, IOException {
            trigger.submitResponse(AsyncResponseBuilder.create(200).setEntity("ok\n").build(), context);
        }
    }
}
