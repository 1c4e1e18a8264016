package h2lab.client;

import h2lab.harness.Harness;
import java.util.Map;

/** Apache HttpClient 5: its classic client and its asynchronous ones. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Harness.main(args, Map.of(
                "apache5-classic", Classic::new,
                "apache5-async", s -> new Async(s, Clients.pooled(s)),
                "apache5-async-multiplexing", s -> new Async(s, Clients.multiplexing(s)),
                "apache5-h2", s -> new Async(s, Clients.h2(s))));
    }
}
