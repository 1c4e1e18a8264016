package h2lab.service.boot2;

import h2lab.service.Caller;
import h2lab.service.Service;
import h2lab.service.web.Asynchronous;
import h2lab.service.web.Blocking;
import h2lab.service.web.Boot;
import h2lab.service.web.Variant;
import java.util.Map;
import java.util.function.Function;

/** Spring Boot 2.7 (Spring 5.3): RestTemplate over OkHttp, and AsyncRestTemplate. */
public final class Main {
    private static final Map<String, Variant> VARIANTS = Map.of(
            "resttemplate-okhttp3", blocking(OkHttp::asItComes),
            "resttemplate-okhttp3-pool100", blocking(OkHttp::poolOf100),
            "resttemplate-okhttp3-no-retry", blocking(OkHttp::withoutRetry),
            "resttemplate-okhttp3-h1", blocking(OkHttp::http1),
            "resttemplate-okhttp3-renew", blocking(OkHttp::renewing),
            "resttemplate-okhttp4", blocking(OkHttp::asItComes),
            "asyncresttemplate", Variant.of("none waits", s -> new Asynchronous(s, AsyncRest.caller(s))));

    private Main() {
    }

    private static Variant blocking(Function<Service, Caller> caller) {
        return Variant.of(Blocking.TOMCAT, service -> new Blocking(service, caller.apply(service)));
    }

    public static void main(String[] args) {
        Boot.main(args, VARIANTS, Application.class);
    }
}
