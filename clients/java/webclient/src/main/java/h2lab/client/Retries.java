package h2lab.client;

import java.io.IOException;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import reactor.util.retry.Retry;

/** Reactor's own retry, for what fails before an answer. */
final class Retries {
    private Retries() {
    }

    static ExchangeFilterFunction filter() {
        // snippet:webclient-retry
        return (request, next) -> next.exchange(request).retryWhen(Retry.max(5)
                .filter(e -> e instanceof WebClientRequestException && e.getCause() instanceof IOException));
        // snippet:end
    }
}
