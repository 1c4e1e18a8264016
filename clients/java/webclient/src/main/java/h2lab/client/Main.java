package h2lab.client;

import h2lab.harness.Harness;
import java.util.Map;

/** Spring's WebClient on Reactor Netty, without Spring Boot. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Harness.main(args, Map.of(
                "webclient", s -> new SpringClient(s, Pools.fixed(), s.h2(), false),
                "webclient-one-connection", s -> new SpringClient(s, Pools.oneConnection(), s.h2(), false),
                "webclient-one-connection-retry", s -> new SpringClient(s, Pools.oneConnection(), s.h2(), true),
                "webclient-short-queue", s -> new SpringClient(s, Pools.shortQueue(), false, false),
                "webclient-short-queue-longer", s -> new SpringClient(s, Pools.longerQueue(), false, false),
                "webclient-one-stream", s -> new SpringClient(s, Pools.oneStream(s.concurrency()), s.h2(), false),
                "webclient-h1", s -> new SpringClient(s, Pools.fixed(), false, false)));
    }
}
