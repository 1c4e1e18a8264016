package h2lab.service.gateway;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.WebFilter;
import reactor.netty.http.server.HttpServerRequest;

/** The gateway as Boot configures it, with the counters that the lab reads of every front. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Application.Health.class)
public class Application {
    private static final long MAX_CONCURRENT_STREAMS = 128; // nginx's default; every server of the lab has it

    @Bean
    WebServerFactoryCustomizer<NettyReactiveWebServerFactory> countConnections(Counters counters) {
        return factory -> factory.addServerCustomizers(server -> server
                .http2Settings(settings -> settings.maxConcurrentStreams(MAX_CONCURRENT_STREAMS))
                .doOnChannelInit((observer, channel, address) -> counters.accepted()));
    }

    @Bean
    WebFilter countRequests(Counters counters) {
        return (exchange, chain) -> {
            HttpServerRequest request = ServerHttpRequestDecorator.getNativeRequest(exchange.getRequest());
            request.withConnection(connection -> counters.request(connection.channel()));
            return chain.filter(exchange);
        };
    }

    /** Answered here: the lab probes the limit and the health on it, with no upstream work. */
    @RestController
    static class Health {
        @GetMapping(path = "/lab/health", produces = "text/plain")
        String health() {
            return "ok\n";
        }
    }
}
