package h2lab.service.webflux;

import h2lab.service.Service;
import io.netty.handler.ssl.SslContextBuilder;
import java.util.function.Consumer;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** WebClient on Reactor Netty. */
final class WebClients {
    private static final int CONNECTIONS = 200;
    private static final int PENDING = 1000;
    private static final int LONGEST_ANSWER = 2 << 20; // the backend's bodies are up to 1 MB; 256 KB by default

    private WebClients() {
    }

    static WebClient http1(Service service) {
        Consumer<SslContextBuilder> tls = builder -> builder.trustManager(service.trust().manager());
        return webClient(service, "HTTP/1.1", HttpClient.create(pool()).protocol(HttpProtocol.HTTP11)
                .secure(spec -> spec.sslContext(Http11SslContextSpec.forClient().configure(tls))));
    }

    static WebClient http2(Service service) {
        Consumer<SslContextBuilder> tls = builder -> builder.trustManager(service.trust().manager());
        return webClient(service, "HTTP/2", HttpClient.create(pool()).protocol(HttpProtocol.H2, HttpProtocol.HTTP11)
                .secure(spec -> spec.sslContext(Http2SslContextSpec.forClient().configure(tls))));
    }

    /** Beyond this many waiting calls: PoolAcquirePendingLimitException. HttpClient.create() has 500 and 1000. */
    private static ConnectionProvider pool() {
        // snippet:webclient-pool
        return ConnectionProvider.builder("service")
                .maxConnections(CONNECTIONS)
                .pendingAcquireMaxCount(PENDING)
                .build();
        // snippet:end
    }

    private static WebClient webClient(Service service, String protocol, HttpClient http) {
        service.view().state("client", "WebClient on Reactor Netty "
                + HttpClient.class.getPackage().getImplementationVersion());
        service.view().state("pool", CONNECTIONS + " connections, " + PENDING + " calls may wait, " + protocol);
        return WebClient.builder().clientConnector(new ReactorClientHttpConnector(http))
                .codecs(codecs -> codecs.defaultCodecs().maxInMemorySize(LONGEST_ANSWER)).build();
    }
}
