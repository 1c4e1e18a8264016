package h2lab.service.web;

import h2lab.service.Answer;
import h2lab.service.Call;
import h2lab.service.Through;
import org.springframework.http.HttpHeaders;
import org.springframework.http.RequestEntity;
import org.springframework.http.ResponseEntity;

/** Between Spring's types and the service's own; the same for Spring MVC and WebFlux. */
public final class Http {
    private Http() {
    }

    public static Call call(Through through, RequestEntity<byte[]> request) {
        HttpHeaders headers = request.getHeaders();
        return through.call(request.getMethod().name(), request.getUrl(), headers.getFirst(Call.ID_HEADER),
                headers.getFirst("Content-Type"), request.getBody());
    }

    public static ResponseEntity<byte[]> response(Answer answer) {
        return ResponseEntity.status(answer.status()).header("Content-Type", answer.type()).body(answer.body());
    }
}
