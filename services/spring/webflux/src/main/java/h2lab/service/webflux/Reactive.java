package h2lab.service.webflux;

import h2lab.service.Answer;
import h2lab.service.Call;
import h2lab.service.Service;
import h2lab.service.Through;
import h2lab.service.web.Http;
import h2lab.service.web.RestTemplateCaller;
import java.util.concurrent.Callable;
import org.springframework.http.HttpMethod;
import org.springframework.http.RequestEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The call by WebClient. JDBC blocks, so the row is read on Reactor's threads for that (boundedElastic). */
@RestController
final class Reactive {
    private final Through through;
    private final WebClient client;

    Reactive(Service service, WebClient client) {
        this.through = new Through(service);
        this.client = client;
    }

    @RequestMapping("/through/**")
    public Mono<ResponseEntity<byte[]>> through(RequestEntity<byte[]> request) {
        Call call = Http.call(through, request);
        Callable<Boolean> row = () -> {
            through.readRow();
            return true;
        };
        return Mono.fromCallable(row).subscribeOn(Schedulers.boundedElastic())
                .then(Mono.defer(() -> answer(call)))
                .onErrorResume(e -> Mono.just(through.rejected(e))) // of the row alone: answer() has none
                .map(Http::response);
    }

    private Mono<Answer> answer(Call call) {
        long began = System.nanoTime();
        return send(call).map(reply -> through.answered(reply, began))
                .onErrorResume(e -> Mono.just(through.failed(e, began)));
    }

    private Mono<Call.Reply> send(Call call) {
        WebClient.RequestBodySpec request = client.method(HttpMethod.valueOf(call.method())).uri(call.url())
                .headers(headers -> headers.addAll(RestTemplateCaller.entity(call).getHeaders()));
        if (call.body() != null) {
            request.bodyValue(call.body());
        }
        return request.retrieve().toEntity(byte[].class).map(RestTemplateCaller::reply);
    }
}
