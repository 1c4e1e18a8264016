package h2lab.service.web;

import h2lab.service.Call;
import h2lab.service.Caller;
import h2lab.service.Service;
import h2lab.service.Through;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.RequestEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The call by a library that doesn't block; no thread waits for its answer. */
@RestController
public final class Asynchronous {
    private final Through through;
    private final Caller.Async caller;

    public Asynchronous(Service service, Caller.Async caller) {
        this.through = new Through(service);
        this.caller = caller;
    }

    @RequestMapping("/through/**")
    public CompletableFuture<ResponseEntity<byte[]>> through(RequestEntity<byte[]> request) {
        Call call = Http.call(through, request);
        return through.async(call, caller).thenApply(Http::response);
    }
}
