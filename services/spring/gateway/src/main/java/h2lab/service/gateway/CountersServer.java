package h2lab.service.gateway;

import h2lab.service.Failed;
import h2lab.service.Loopback;
import io.netty.channel.ChannelOption;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.ChannelBindException;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** Plain HTTP on a port of its own, so that asking is no request of the front. */
final class CountersServer {
    private CountersServer() {
    }

    static void start(int port, Counters counters) {
        try {
            HttpServer.create().host("127.0.0.1").port(port).option(ChannelOption.SO_REUSEADDR, true)
                    .handle((request, response) -> answer(port, counters, request, response)).bindNow();
        } catch (ChannelBindException e) {
            throw Failed.couldNot("port " + port + " of 127.0.0.1 is taken: see who listens with `ss -ltnp 'sport = :"
                    + port + "'` and end it, or give another --counters");
        }
    }

    private static Publisher<Void> answer(int port, Counters counters, HttpServerRequest request,
            HttpServerResponse response) {
        String refusal = Loopback.refusal(port, request.method().name(), request.requestHeaders()::getAll);
        if (refusal != null) {
            return text(response.status(403), refusal + "\n");
        }
        return switch (request.uri()) {
            case "/lab/counters.json" -> response.header("Content-Type", "application/json")
                    .sendString(Mono.just(counters.json()));
            case "/lab/ready" -> counters.isReady() ? text(response, "ready\n")
                    : text(response.status(503), "starting\n");
            default -> text(response.status(404), "no such page: ask for /lab/counters.json or /lab/ready\n");
        };
    }

    private static Publisher<Void> text(HttpServerResponse response, String body) {
        return response.header("Content-Type", "text/plain;charset=UTF-8").sendString(Mono.just(body));
    }
}
