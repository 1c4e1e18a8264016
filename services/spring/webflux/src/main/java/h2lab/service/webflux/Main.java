package h2lab.service.webflux;

import h2lab.service.web.Boot;
import h2lab.service.web.Variant;
import h2lab.service.web.WaitMono;
import java.util.List;
import java.util.Map;

/** Spring Boot 3.5 (Spring 6.2), WebFlux on Netty. */
public final class Main {
    private static final String NONE = "none waits";
    private static final Map<String, Variant> VARIANTS = Map.of(
            "webclient-h1", Variant.of(NONE, s -> new Reactive(s, WebClients.http1(s))),
            "webclient-h2", Variant.of(NONE, s -> new Reactive(s, WebClients.http2(s))),
            "server-mono-netty", Variant.all(NONE + ": Mono.delay", s -> List.of(new WaitMono(s),
                    new Reactive(s, WebClients.http1(s)))),
            "server-flux", Variant.all(NONE + ": Flux.delayElements", s -> List.of(new WaitFlux(s),
                    new Reactive(s, WebClients.http1(s)))));

    private Main() {
    }

    public static void main(String[] args) {
        Boot.main(args, VARIANTS, Application.class);
    }
}
