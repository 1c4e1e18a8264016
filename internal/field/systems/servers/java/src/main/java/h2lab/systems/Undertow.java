package h2lab.systems;

import io.undertow.UndertowOptions;
import java.nio.file.Path;

/** Undertow, WildFly's server. */
final class Undertow {
    private Undertow() {}

    static void start(int port, Path certificate, Path key, int idleSeconds) throws Exception {
        io.undertow.Undertow.builder()
                .addHttpsListener(port, "127.0.0.1", Files.context(certificate, key))
                .setServerOption(UndertowOptions.ENABLE_HTTP2, true)
                .setServerOption(UndertowOptions.IDLE_TIMEOUT, idleSeconds * 1000)
                .setIoThreads(1)
                .setHandler(exchange -> exchange.getResponseSender().send("ok\n"))
                .build()
                .start();
    }
}
