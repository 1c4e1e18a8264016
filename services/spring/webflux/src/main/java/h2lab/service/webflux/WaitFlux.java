package h2lab.service.webflux;

import h2lab.service.Service;
import h2lab.service.View;
import h2lab.service.Waits;
import java.time.Duration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** /wait?ms=N as a stream of one element, which Spring sends in chunks as they come. */
@RestController
final class WaitFlux {
    private final View view;

    WaitFlux(Service service) {
        view = service.view();
    }

    @GetMapping(path = "/wait", produces = "text/plain")
    public Flux<String> answer(@RequestParam(name = "ms", required = false) String ms) {
        view.request();
        return Flux.just("waited\n").delayElements(Duration.ofMillis(Waits.parse(ms)));
    }
}
