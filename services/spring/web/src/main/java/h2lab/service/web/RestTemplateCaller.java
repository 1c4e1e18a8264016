package h2lab.service.web;

import h2lab.service.Call;
import h2lab.service.Caller;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestTemplate;

/** exchange() of a RestTemplate; it throws for 4xx and 5xx. Compiled against Spring 5.3, run with 5.3 and 6.2. */
public final class RestTemplateCaller implements Caller {
    private final RestTemplate rest;

    public RestTemplateCaller(RestTemplate rest) {
        this.rest = rest;
    }

    @Override
    public Call.Reply call(Call call) {
        ResponseEntity<byte[]> answer =
                rest.exchange(call.url(), HttpMethod.valueOf(call.method()), entity(call), byte[].class);
        return reply(answer);
    }

    public static HttpEntity<byte[]> entity(Call call) {
        HttpHeaders headers = new HttpHeaders();
        if (call.id() != null) {
            headers.set(Call.ID_HEADER, call.id());
        }
        if (call.body() != null) {
            headers.set("Content-Type", call.type() == null ? MediaType.APPLICATION_OCTET_STREAM_VALUE : call.type());
        }
        return new HttpEntity<>(call.body(), headers);
    }

    public static Call.Reply reply(ResponseEntity<byte[]> answer) {
        String type = answer.getHeaders().getFirst("Content-Type");
        return new Call.Reply(answer.getStatusCodeValue(), type, answer.getBody());
    }
}
