package h2lab.service.boot3;

import h2lab.service.Call;
import h2lab.service.Caller;
import h2lab.service.Service;
import h2lab.service.Versions;
import h2lab.service.web.RestTemplateCaller;
import java.net.http.HttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/** How the variants of this module call. */
final class Callers {
    private static final int CONNECTIONS = 300; // 5 a route and 25 in all by default

    private Callers() {
    }

    /** RestTemplate over Apache's classic client, which speaks HTTP/1.1. */
    static Caller overApache(Service service) {
        DefaultClientTlsStrategy tls = new DefaultClientTlsStrategy(service.trust().context());
        // snippet:resttemplate-apache
        PoolingHttpClientConnectionManager pool = PoolingHttpClientConnectionManagerBuilder.create()
                .setTlsSocketStrategy(tls)
                .setMaxConnPerRoute(CONNECTIONS)
                .setMaxConnTotal(CONNECTIONS)
                .build();
        // snippet:end
        service.view().state("client", "RestTemplate over Apache HttpClient " + Versions.of(HttpClients.class));
        service.view().state("pool", CONNECTIONS + " connections, HTTP/1.1");
        return new RestTemplateCaller(new RestTemplate(new HttpComponentsClientHttpRequestFactory(
                HttpClients.custom().setConnectionManager(pool).build())));
    }

    /** RestClient over java.net.http, Boot's own choice where no other client is on the class path. */
    static Caller restClient(Service service, HttpClient.Version version) {
        HttpClient http = HttpClient.newBuilder().sslContext(service.trust().context()).version(version).build();
        RestClient client = RestClient.builder().requestFactory(new JdkClientHttpRequestFactory(http)).build();
        service.view().state("client", "RestClient over java.net.http, " + version);
        service.view().state("pool", "java.net.http's own: no limit of connections");
        return call -> reply(client, call);
    }

    private static Call.Reply reply(RestClient client, Call call) {
        RestClient.RequestBodySpec request = client.method(HttpMethod.valueOf(call.method())).uri(call.url())
                .headers(headers -> headers.addAll(RestTemplateCaller.entity(call).getHeaders()));
        if (call.body() != null) {
            request.body(call.body());
        }
        return RestTemplateCaller.reply(request.retrieve().toEntity(byte[].class));
    }
}
