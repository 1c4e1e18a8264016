package h2lab.client;

import h2lab.harness.Reply;
import h2lab.harness.Settings;
import h2lab.harness.Subject;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.springframework.core.SpringVersion;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** One WebClient. */
final class SpringClient implements Subject {
    private final Settings settings;
    private final WebClient client;
    private final AtomicLong dialled = new AtomicLong();
    private volatile String version;

    SpringClient(Settings settings, ConnectionProvider pool, boolean h2, boolean retries) {
        this.settings = settings;
        Consumer<SslContextBuilder> tls = b -> b.trustManager(settings.trust()).protocols(settings.tlsVersions());
        HttpClient http = (h2 ? http2(HttpClient.create(pool), tls) : http1(HttpClient.create(pool), tls))
                .doOnChannelInit((observer, channel, address) -> dialled.incrementAndGet())
                .doOnResponse((response, connection) -> version = Reply.protocol(response.version()));
        http.warmup().block(); // event loops and resolver; no connection. Starting up isn't what is measured
        WebClient.Builder builder = WebClient.builder().clientConnector(new ReactorClientHttpConnector(http));
        if (retries) {
            builder.filter(Retries.filter());
        }
        client = builder.build();
    }

    private static HttpClient http2(HttpClient client, Consumer<SslContextBuilder> tls) {
        return client.protocol(HttpProtocol.H2, HttpProtocol.HTTP11)
                .secure(spec -> spec.sslContext(Http2SslContextSpec.forClient().configure(tls)));
    }

    private static HttpClient http1(HttpClient client, Consumer<SslContextBuilder> tls) {
        // snippet:webclient-h1
        return client.protocol(HttpProtocol.HTTP11)
                .secure(spec -> spec.sslContext(Http11SslContextSpec.forClient().configure(tls)));
        // snippet:end
    }

    @Override
    public CompletableFuture<Reply> send(String id, byte[] body) {
        var request = client.method(HttpMethod.valueOf(settings.method())).uri(settings.url()).header(Settings.ID_HEADER, id);
        if (settings.sendsBody()) {
            request.contentType(MediaType.TEXT_PLAIN).bodyValue(body);
        }
        return request.exchangeToMono(r -> r.bodyToMono(byte[].class).defaultIfEmpty(new byte[0])
                .map(bytes -> new Reply(r.statusCode().value(), bytes, version))).toFuture();
    }

    @Override
    public Long dialled() {
        return dialled.get();
    }

    @Override
    public String library() {
        return "Spring WebClient " + SpringVersion.getVersion() + " on Reactor Netty "
                + HttpClient.class.getPackage().getImplementationVersion();
    }
}
