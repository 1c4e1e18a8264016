package h2lab.service.webflux;

import h2lab.service.Loopback;
import h2lab.service.Service;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** WebFlux on Reactor Netty. */
@SpringBootConfiguration
@EnableAutoConfiguration
public class Application {

    @Bean
    WebFilter onlyThisMachine(Service service) {
        int port = service.arguments().port("port");
        return (exchange, chain) -> {
            ServerHttpRequest request = exchange.getRequest();
            String refusal = Loopback.refusal(port, request.getMethod().name(), request.getHeaders()::get);
            return refusal == null ? chain.filter(exchange) : forbid(exchange.getResponse(), refusal + "\n");
        };
    }

    private static Mono<Void> forbid(ServerHttpResponse response, String why) {
        response.setStatusCode(HttpStatus.FORBIDDEN);
        byte[] text = why.getBytes(StandardCharsets.UTF_8);
        return response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(text)));
    }
}
