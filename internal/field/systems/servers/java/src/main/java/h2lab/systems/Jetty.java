package h2lab.systems;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Jetty, whose connector has an idle time and no limit of requests. */
final class Jetty {
    private Jetty() {}

    static void start(int port, Path certificate, Path key, int idleSeconds) throws Exception {
        var http = new HttpConfiguration();
        http.addCustomizer(new SecureRequestCustomizer(false));
        var h1 = new HttpConnectionFactory(http);
        var alpn = new ALPNServerConnectionFactory("h2", "http/1.1");
        alpn.setDefaultProtocol(h1.getProtocol());
        var tls = new SslContextFactory.Server();
        tls.setKeyStore(Files.keyStore(certificate, key));
        tls.setKeyStorePassword(new String(Files.PASSWORD));
        tls.setSniRequired(false);
        var server = new Server();
        var connector = new ServerConnector(server, 1, 1, new SslConnectionFactory(tls, alpn.getProtocol()), alpn,
                new HTTP2ServerConnectionFactory(http), h1);
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        connector.setIdleTimeout(idleSeconds * 1000L);
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract.NonBlocking() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                response.write(true, ByteBuffer.wrap("ok\n".getBytes()), callback);
                return true;
            }
        });
        server.start();
    }
}
