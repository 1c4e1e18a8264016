package h2lab.client;

import h2lab.harness.Settings;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;

/** The ways to set a channel up. */
final class Channels {
    private Channels() {
    }

    /** As it comes; the transparent retry is on. */
    static ManagedChannel defaults(Settings s) throws SSLException {
        return builder(s).build();
    }

    static ManagedChannel noRetry(Settings s) throws SSLException {
        return builder(s).disableRetry().build();
    }

    static ManagedChannel retry(Settings s) throws SSLException {
        NettyChannelBuilder builder = builder(s);
        // snippet:grpc-java-retry
        Map<String, ?> policy = Map.of(
                "maxAttempts", 5.0, "initialBackoff", "0.01s", "maxBackoff", "0.1s", "backoffMultiplier", 2.0,
                "retryableStatusCodes", List.of("UNAVAILABLE"));
        builder.defaultServiceConfig(Map.of("methodConfig", List.of(
                Map.of("name", List.of(Map.of("service", "h2lab.Echo")), "retryPolicy", policy))));
        // snippet:end
        return builder.build();
    }

    private static NettyChannelBuilder builder(Settings s) throws SSLException {
        return NettyChannelBuilder.forAddress(s.url().getHost(), s.url().getPort())
                .sslContext(GrpcSslContexts.forClient().trustManager(s.trust()).protocols(s.tlsVersions()).build());
    }
}
