package h2lab.systems;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** grpc-java with a maximum connection age. */
final class Grpc {
    private Grpc() {}

    static void start(int port, Path certificate, Path key, int ageSeconds) throws Exception {
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
                .useTransportSecurity(certificate.toFile(), key.toFile())
                .maxConnectionAge(ageSeconds, TimeUnit.SECONDS)
                .maxConnectionAgeGrace(1, TimeUnit.SECONDS)
                .build()
                .start();
    }
}
