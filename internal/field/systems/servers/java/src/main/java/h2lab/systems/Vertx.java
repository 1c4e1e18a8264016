package h2lab.systems;

import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.file.Path;

/** Vert.x, the server below Quarkus. */
final class Vertx {
    private Vertx() {}

    static void start(int port, Path certificate, Path key, int idleSeconds) throws Exception {
        var options = new HttpServerOptions()
                .setHost("127.0.0.1")
                .setPort(port)
                .setSsl(true)
                .setUseAlpn(true)
                .setIdleTimeout(idleSeconds)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addCertPath(certificate.toString())
                        .addKeyPath(key.toString()));
        io.vertx.core.Vertx.vertx()
                .createHttpServer(options)
                .requestHandler(request -> request.response().end("ok\n"))
                .listen()
                .toCompletionStage()
                .toCompletableFuture()
                .get();
    }
}
