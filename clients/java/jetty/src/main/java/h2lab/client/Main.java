package h2lab.client;

import h2lab.harness.Harness;
import java.util.Map;

/** Jetty's HttpClient over HTTP/2. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Harness.main(args, Map.of(
                "jetty", s -> new Jetty(s, (client, transport) -> { }),
                "jetty-max-usage", s -> new Jetty(s, Cures::maxUsage)));
    }
}
