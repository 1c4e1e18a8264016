package h2lab.service.boot3;

import h2lab.service.Caller;
import h2lab.service.Service;
import h2lab.service.web.Blocking;
import h2lab.service.web.Boot;
import h2lab.service.web.Pooled;
import h2lab.service.web.Variant;
import h2lab.service.web.WaitMono;
import java.net.http.HttpClient.Version;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Function;

/** Spring Boot 3.5 (Spring 6.2), MVC on Tomcat. */
public final class Main {
    /** Tomcat serves each request on a virtual thread of its own; needs JDK 21 or newer. */
    private static final String VIRTUAL = "spring.threads.virtual.enabled=true";
    private static final String VIRTUAL_THREADS = "virtual, one for each request (not among the counted ones)";

    private static final Map<String, Variant> VARIANTS = Map.ofEntries(
            Map.entry("resttemplate-apache", onTomcat(Callers::overApache)),
            Map.entry("resttemplate-pool", Variant.of(Pools.OWN,
                    s -> new Pooled(s, Pools.own(), Callers.overApache(s)))),
            Map.entry("mvc-virtual", onVirtual(Callers::overApache)),
            Map.entry("restclient", onTomcat(s -> Callers.restClient(s, Version.HTTP_2))),
            Map.entry("restclient-h1", onTomcat(s -> Callers.restClient(s, Version.HTTP_1_1))),
            Map.entry("restclient-virtual", onVirtual(s -> Callers.restClient(s, Version.HTTP_2))),
            Map.entry("restclient-virtual-h1", onVirtual(s -> Callers.restClient(s, Version.HTTP_1_1))),
            Map.entry("server-sync", Variant.all(Blocking.TOMCAT, Main::sync)),
            Map.entry("server-virtual", Variant.all(VIRTUAL_THREADS, Main::sync, VIRTUAL)),
            Map.entry("server-callable", Variant.all(Servers.InCallable.THREADS, s -> List.of(new Servers.InCallable(s),
                    new Servers.ThroughCallable(s, Callers.overApache(s))))),
            Map.entry("server-cf-common", Variant.all(Pools.COMMON, s -> future(s, Pools.common()))),
            Map.entry("server-cf-500", Variant.all("Executors.newFixedThreadPool(500)",
                    s -> future(s, Executors.newFixedThreadPool(500)))),
            Map.entry("server-forkjoin-500", Variant.all("new ForkJoinPool(500)",
                    s -> future(s, new ForkJoinPool(500)))),
            Map.entry("server-mono-tomcat", Variant.all("none waits on /wait: Mono.delay", s -> List.of(
                    new WaitMono(s), new Blocking(s, Callers.overApache(s))))));

    private Main() {
    }

    /** Waits, or calls, on the thread that serves the request. */
    private static List<Object> sync(Service service) {
        return List.of(new Servers.Sync(service), new Blocking(service, Callers.overApache(service)));
    }

    /** Waits, or calls, on a pool. */
    private static List<Object> future(Service service, Executor pool) {
        return List.of(new Servers.InFuture(service, pool),
                new Pooled(service, pool, Callers.overApache(service)));
    }

    private static Variant onTomcat(Function<Service, Caller> caller) {
        return Variant.of(Blocking.TOMCAT, service -> new Blocking(service, caller.apply(service)));
    }

    private static Variant onVirtual(Function<Service, Caller> caller) {
        return Variant.of(VIRTUAL_THREADS, service -> new Blocking(service, caller.apply(service)), VIRTUAL);
    }

    public static void main(String[] args) {
        Boot.main(args, VARIANTS, Application.class);
    }
}
