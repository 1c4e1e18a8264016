package h2lab.service.boot3;

import h2lab.service.Call;
import h2lab.service.Caller;
import h2lab.service.Service;
import h2lab.service.Through;
import h2lab.service.View;
import h2lab.service.Waits;
import h2lab.service.web.Http;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.springframework.http.RequestEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Applications that wait before they answer, as a service does that waits for a database: /wait?ms=N. Through a
 * topology they wait for a call, on the same threads.
 */
final class Servers {
    private static final String DONE = "waited\n";

    private Servers() {
    }

    private static String sleep(int ms) {
        try {
            Thread.sleep(ms);
            return DONE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the service stops", e);
        }
    }

    /** On the thread that serves the request. */
    @RestController
    static final class Sync {
        private final View view;

        Sync(Service service) {
            view = service.view();
        }

        @GetMapping(path = "/wait", produces = "text/plain")
        public String answer(@RequestParam(name = "ms", required = false) String ms) {
            view.request();
            return sleep(Waits.parse(ms));
        }
    }

    /** A Callable runs on Spring Boot's applicationTaskExecutor: 8 threads by default, and a queue without a bound. */
    @RestController
    static final class InCallable {
        static final String THREADS = "applicationTaskExecutor, 8 by default";
        private final View view;

        InCallable(Service service) {
            view = service.view();
        }

        @GetMapping(path = "/wait", produces = "text/plain")
        public Callable<String> answer(@RequestParam(name = "ms", required = false) String ms) {
            view.request();
            int time = Waits.parse(ms);
            return () -> sleep(time);
        }
    }

    /** The call in a Callable, on the same executor. */
    @RestController
    static final class ThroughCallable {
        private final Through through;
        private final Caller caller;

        ThroughCallable(Service service, Caller caller) {
            this.through = new Through(service);
            this.caller = caller;
        }

        @RequestMapping("/through/**")
        public Callable<ResponseEntity<byte[]>> through(RequestEntity<byte[]> request) {
            Call call = Http.call(through, request);
            return () -> Http.response(through.blocking(call, caller));
        }
    }

    /** A CompletableFuture on a pool that the variant names. */
    @RestController
    static final class InFuture {
        private final View view;
        private final Executor pool;

        InFuture(Service service, Executor pool) {
            this.view = service.view();
            this.pool = pool;
        }

        @GetMapping(path = "/wait", produces = "text/plain")
        public CompletableFuture<String> answer(@RequestParam(name = "ms", required = false) String ms) {
            view.request();
            int time = Waits.parse(ms);
            return CompletableFuture.supplyAsync(() -> sleep(time), pool);
        }
    }
}
