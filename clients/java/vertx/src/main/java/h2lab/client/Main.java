package h2lab.client;

import h2lab.harness.Harness;
import io.vertx.core.http.PoolOptions;
import java.util.Map;

/** Vert.x' WebClient. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Harness.main(args, Map.of(
                "vertx", s -> new VertxClient(s, Cures.options(s), new PoolOptions(), false),
                "vertx-one-stream", s -> new VertxClient(s, Cures.oneStream(s), Cures.oneStreamPool(s.concurrency()), false),
                "vertx-retry", s -> new VertxClient(s, Cures.options(s), new PoolOptions(), true),
                "vertx-h1", s -> new VertxClient(s, Cures.http1(s), Cures.http1Pool(s.concurrency()), false)));
    }
}
