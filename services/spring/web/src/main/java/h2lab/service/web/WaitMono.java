package h2lab.service.web;

import h2lab.service.Service;
import h2lab.service.View;
import h2lab.service.Waits;
import java.time.Duration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** /wait?ms=N by a timer: no thread waits, on Tomcat as on Netty. */
@RestController
public final class WaitMono {
    private final View view;

    public WaitMono(Service service) {
        view = service.view();
    }

    @GetMapping(path = "/wait", produces = "text/plain")
    public Mono<String> answer(@RequestParam(name = "ms", required = false) String ms) {
        view.request();
        return Mono.delay(Duration.ofMillis(Waits.parse(ms))).thenReturn("waited\n");
    }
}
