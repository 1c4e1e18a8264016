package h2lab.service.web;

import h2lab.service.Call;
import h2lab.service.Caller;
import h2lab.service.Service;
import h2lab.service.Through;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.springframework.http.RequestEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The call on a thread of the application's own pool, while the server's thread serves others. */
@RestController
public final class Pooled {
    private final Through through;
    private final Caller caller;
    private final Executor pool;

    public Pooled(Service service, Executor pool, Caller caller) {
        this.through = new Through(service);
        this.caller = caller;
        this.pool = pool;
    }

    @RequestMapping("/through/**")
    public CompletableFuture<ResponseEntity<byte[]>> through(RequestEntity<byte[]> request) {
        Call call = Http.call(through, request);
        return CompletableFuture.supplyAsync(() -> through.blocking(call, caller), pool).thenApply(Http::response);
    }
}
