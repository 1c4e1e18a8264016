package h2lab.service.web;

import h2lab.service.View;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the lab asks: whether the service is ready, and its own view of a window. */
@RestController
public final class Lab {
    private final View view;

    Lab(View view) {
        this.view = view;
    }

    @GetMapping(path = "/lab/ready", produces = "text/plain")
    public String ready() {
        return "ready\n";
    }

    @PostMapping(path = "/lab/view/reset", produces = "text/plain")
    public String reset() {
        view.reset();
        return "reset\n";
    }

    @GetMapping(path = "/lab/view.json", produces = "application/json")
    public Map<String, Object> read() {
        return view.read();
    }
}
