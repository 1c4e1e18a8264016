package h2lab.service.boot2;

import h2lab.service.Caller;
import h2lab.service.Service;
import h2lab.service.Trust;
import h2lab.service.Versions;
import h2lab.service.web.RestTemplateCaller;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import org.springframework.http.client.OkHttp3ClientHttpRequestFactory;
import org.springframework.web.client.RestTemplate;

/**
 * RestTemplate over OkHttp, which negotiates HTTP/2 by itself. Compiled against 3.4.2 and run with 3.4.2 and 4.12:
 * OkHttp has kept these classes since, and Spring 5.3 uses none that came later.
 */
final class OkHttp {
    private OkHttp() {
    }

    /** The defaults: 5 idle connections kept for 5 minutes, retryOnConnectionFailure on, 10 s for an answer. */
    static Caller asItComes(Service service) {
        service.view().state("pool", "OkHttp's default: 5 idle connections");
        return restTemplate(builder(service).build());
    }

    /** The first thing that one tries. Over HTTP/2 the pool holds one connection in the steady state anyway. */
    static Caller poolOf100(Service service) {
        service.view().state("pool", "ConnectionPool(100, 5 minutes)");
        return restTemplate(builder(service).connectionPool(new ConnectionPool(100, 5, TimeUnit.MINUTES)).build());
    }

    /** Often advised for POST, so that none is executed twice. */
    static Caller withoutRetry(Service service) {
        service.view().state("pool", "OkHttp's default: 5 idle connections");
        service.view().state("retry", "retryOnConnectionFailure(false)");
        return restTemplate(builder(service).retryOnConnectionFailure(false).build());
    }

    static Caller http1(Service service) {
        service.view().state("pool", "ConnectionPool(100, 5 minutes), HTTP/1.1");
        OkHttpClient.Builder builder = builder(service);
        // snippet:okhttp-h1
        builder.protocols(List.of(Protocol.HTTP_1_1));
        // The default pool keeps 5 idle connections: with more threads than that most calls would dial.
        builder.connectionPool(new ConnectionPool(100, 5, TimeUnit.MINUTES));
        // snippet:end
        return restTemplate(builder.build());
    }

    static Caller renewing(Service service) {
        service.view().state("pool", "a new connection after " + Renewing.A_QUARTER_OF_THE_LIMIT + " calls");
        return new Renewing(builder(service).build());
    }

    private static OkHttpClient.Builder builder(Service service) {
        service.view().state("client", "RestTemplate over OkHttp " + Versions.of(OkHttpClient.class));
        Trust trust = service.trust();
        return new OkHttpClient.Builder().sslSocketFactory(trust.context().getSocketFactory(), trust.manager());
    }

    static RestTemplateCaller restTemplate(OkHttpClient client) {
        return new RestTemplateCaller(new RestTemplate(new OkHttp3ClientHttpRequestFactory(client)));
    }
}
