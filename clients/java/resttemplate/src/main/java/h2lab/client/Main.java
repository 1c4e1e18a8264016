package h2lab.client;

import h2lab.harness.Harness;
import h2lab.harness.Harness.Maker;
import h2lab.harness.Settings;
import h2lab.harness.Versions;
import h2lab.okhttp.CountingSockets;
import h2lab.okhttp.OkHttp;
import java.util.Map;
import okhttp3.OkHttpClient;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.OkHttp3ClientHttpRequestFactory;
import org.springframework.web.client.RestTemplate;

/** Spring's RestTemplate over two client libraries. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Map<String, Maker> variants = Map.of(
                "resttemplate-okhttp", settings -> overOkHttp(settings, OkHttp.NOTHING),
                "resttemplate-okhttp-h1", settings -> overOkHttp(settings, OkHttp.HTTP_1),
                "resttemplate-httpclient5", Main::overHttpClient5);
        Harness.main(args, variants);
    }

    private static RestTemplateSubject overOkHttp(Settings settings, OkHttp.Set set) {
        CountingSockets sockets = new CountingSockets();
        OkHttpClient client = OkHttp.client(settings, sockets, set);
        boolean http1 = set == OkHttp.HTTP_1 || !settings.h2();
        return new RestTemplateSubject(settings, new RestTemplate(new OkHttp3ClientHttpRequestFactory(client)),
                "OkHttp " + Versions.of(OkHttpClient.class), http1 ? "h1" : null, sockets);
    }

    private static RestTemplateSubject overHttpClient5(Settings settings) {
        HttpClient client = HttpClients.custom().setConnectionManager(pool(settings)).build();
        RestTemplate rest = new RestTemplate(new HttpComponentsClientHttpRequestFactory(client));
        return new RestTemplateSubject(settings, rest, "HttpClient " + Versions.of(HttpClient.class), "h1", null);
    }

    private static org.apache.hc.client5.http.io.HttpClientConnectionManager pool(Settings settings) {
        int threads = settings.concurrency();
        DefaultClientTlsStrategy tls = new DefaultClientTlsStrategy(settings.ssl());
        return PoolingHttpClientConnectionManagerBuilder.create().setTlsSocketStrategy(tls)
                // snippet:resttemplate-httpclient5
                .setMaxConnPerRoute(threads) // 5 by default
                .setMaxConnTotal(threads) // 25 by default
                // snippet:end
                .build();
    }
}
