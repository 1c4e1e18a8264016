package h2lab.service.web;

import h2lab.service.Call;
import h2lab.service.Caller;
import h2lab.service.Service;
import h2lab.service.Through;
import org.springframework.http.RequestEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The call on the thread that serves the request, as most services make it. */
@RestController
public final class Blocking {
    /** Spring Boot's default of server.tomcat.threads.max. */
    public static final String TOMCAT = "Tomcat's, 200 at most";

    private final Through through;
    private final Caller caller;

    public Blocking(Service service, Caller caller) {
        this.through = new Through(service);
        this.caller = caller;
    }

    @RequestMapping("/through/**")
    public ResponseEntity<byte[]> through(RequestEntity<byte[]> request) {
        Call call = Http.call(through, request);
        return Http.response(through.blocking(call, caller));
    }
}
