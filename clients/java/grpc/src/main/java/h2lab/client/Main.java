package h2lab.client;

import h2lab.harness.Harness;
import java.util.Map;

/** grpc-java with its shaded Netty: unary calls of /h2lab.Echo/Say. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Harness.main(args, Map.of(
                "grpc-java", s -> new Grpc(s, Channels.defaults(s)),
                "grpc-java-retry", s -> new Grpc(s, Channels.retry(s)),
                "grpc-java-no-retry", s -> new Grpc(s, Channels.noRetry(s))));
    }
}
