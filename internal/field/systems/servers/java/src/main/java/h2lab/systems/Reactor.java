package h2lab.systems;

import java.nio.file.Path;
import reactor.core.publisher.Mono;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.server.HttpServer;

/** Reactor Netty, the server of Spring WebFlux. */
final class Reactor {
    private Reactor() {}

    static void start(int port, Path certificate, Path key, int requests) {
        HttpServer.create()
                .host("127.0.0.1")
                .port(port)
                .protocol(HttpProtocol.H2, HttpProtocol.HTTP11)
                .secure(spec -> spec.sslContext(Http2SslContextSpec.forServer(certificate.toFile(), key.toFile())))
                .maxKeepAliveRequests(requests)
                .handle((request, response) -> response.sendString(Mono.just("ok\n")))
                .bindNow();
    }
}
