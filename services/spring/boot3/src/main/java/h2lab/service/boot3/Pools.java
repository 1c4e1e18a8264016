package h2lab.service.boot3;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The thread pools whose size depends on the machine. */
final class Pools {
    private static final int OWN_THREADS = Math.max(Runtime.getRuntime().availableProcessors(), 8) * 2;
    private static final int QUEUE = 20_000;

    static final String OWN = "pool of " + OWN_THREADS + ", queue of " + QUEUE + ", CallerRunsPolicy";
    static final String COMMON = "ForkJoinPool.commonPool() of " + ForkJoinPool.getCommonPoolParallelism();

    private Pools() {
    }

    /** A pool as services have it: max(cores, 8) x 2 threads; what the queue has no place for runs on Tomcat's. */
    static ExecutorService own() {
        return new ThreadPoolExecutor(OWN_THREADS, OWN_THREADS, 60, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE),
                new ThreadPoolExecutor.CallerRunsPolicy());
    }

    /**
     * What supplyAsync() takes by itself, with as many threads as out/run sets: by default one less than there are
     * processors. Where that is 1, JDK 17's supplyAsync() starts a thread for each task instead, so it is named here.
     */
    static ForkJoinPool common() {
        return ForkJoinPool.commonPool();
    }
}
