package h2lab.service.boot2;

import h2lab.service.Caller;
import h2lab.service.Service;
import h2lab.service.Versions;
import h2lab.service.web.RestTemplateCaller;
import org.apache.http.impl.nio.client.CloseableHttpAsyncClient;
import org.apache.http.impl.nio.client.HttpAsyncClients;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.HttpComponentsAsyncClientHttpRequestFactory;
import org.springframework.web.client.AsyncRestTemplate;

/**
 * AsyncRestTemplate over Apache HttpAsyncClient 4, which speaks HTTP/1.1. Without that client AsyncRestTemplate
 * starts a thread for each request. Deprecated since Spring 5.0 in favour of WebClient.
 */
@SuppressWarnings("deprecation")
final class AsyncRest {
    private static final int CONNECTIONS = 300; // 2 a route and 20 in all by default

    private AsyncRest() {
    }

    static Caller.Async caller(Service service) {
        CloseableHttpAsyncClient client = HttpAsyncClients.custom().setSSLContext(service.trust().context())
                .setMaxConnPerRoute(CONNECTIONS).setMaxConnTotal(CONNECTIONS).build();
        client.start();
        service.view().state("client", "AsyncRestTemplate over HttpAsyncClient " + Versions.of(HttpAsyncClients.class));
        service.view().state("pool", CONNECTIONS + " connections, HTTP/1.1");
        AsyncRestTemplate rest = new AsyncRestTemplate(new HttpComponentsAsyncClientHttpRequestFactory(client));
        return call -> rest.exchange(call.url(), HttpMethod.valueOf(call.method()), RestTemplateCaller.entity(call),
                byte[].class).completable().thenApply(RestTemplateCaller::reply);
    }
}
