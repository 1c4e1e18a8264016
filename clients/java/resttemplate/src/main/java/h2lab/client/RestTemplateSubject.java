package h2lab.client;

import h2lab.harness.Reply;
import h2lab.harness.Settings;
import h2lab.harness.Subject;
import h2lab.harness.Versions;
import h2lab.okhttp.CountingSockets;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.HttpStatusCodeException;
import org.springframework.web.client.RestTemplate;

/** exchange() on the workers' own threads. RestTemplate doesn't tell the protocol; over HttpClient 5 it is HTTP/1.1. */
final class RestTemplateSubject implements Subject {
    private final Settings settings;
    private final RestTemplate rest;
    private final String over;
    private final String protocol;
    private final CountingSockets sockets;

    RestTemplateSubject(Settings settings, RestTemplate rest, String over, String protocol, CountingSockets sockets) {
        this.settings = settings;
        this.rest = rest;
        this.over = over;
        this.protocol = protocol;
        this.sockets = sockets;
    }

    @Override
    public CompletableFuture<Reply> send(String id, byte[] body) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(Settings.ID_HEADER, id);
        HttpEntity<byte[]> entity = new HttpEntity<>(settings.sendsBody() ? body : null, headers);
        try {
            ResponseEntity<byte[]> answer =
                    rest.exchange(settings.url(), HttpMethod.valueOf(settings.method()), entity, byte[].class);
            byte[] bytes = answer.getBody() == null ? new byte[0] : answer.getBody();
            return Subject.done(answer.getStatusCode().value(), bytes, protocol);
        } catch (HttpStatusCodeException e) {
            return Subject.done(e.getStatusCode().value(), e.getResponseBodyAsByteArray(), protocol);
        }
    }

    @Override
    public Long dialled() {
        return sockets == null ? null : sockets.connected();
    }

    @Override
    public String library() {
        return "RestTemplate " + Versions.of(RestTemplate.class) + " over " + over;
    }
}
