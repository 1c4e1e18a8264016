package h2lab.client;

import h2lab.harness.Settings;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.util.VersionInfo;

/** The ways to set the asynchronous client up. */
final class Clients {
    /** A client, and the number of connections that it has opened. */
    record Counted(CloseableHttpAsyncClient client, AtomicLong dialled) {
    }

    private Clients() {
    }

    /** The protocol is negotiated; a connection of the pool carries one request at a time, HTTP/2 or not. */
    static Counted pooled(Settings s) {
        return counted(HttpAsyncClients.custom().setConnectionManager(pool(s).build()));
    }

    /** As {@link #pooled}, but a connection that speaks HTTP/2 is shared; since 5.5, marked experimental. */
    static Counted multiplexing(Settings s) {
        return counted(HttpAsyncClients.custom().setConnectionManager(pool(s).setMessageMultiplexing(true).build()));
    }

    /** Speaks HTTP/2 alone, over one connection a host. */
    static Counted h2(Settings s) {
        Dials dials = new Dials();
        return new Counted(HttpAsyncClients.customHttp2().setTlsStrategy(tls(s)).setIOSessionListener(dials).build(), dials.opened);
    }

    /** 5 connections a route if nobody says so: an application with more calls at a time must raise it. */
    private static PoolingAsyncClientConnectionManagerBuilder pool(Settings s) {
        HttpVersionPolicy policy = s.h2() ? HttpVersionPolicy.NEGOTIATE : HttpVersionPolicy.FORCE_HTTP_1;
        // snippet:apache5-async
        return PoolingAsyncClientConnectionManagerBuilder.create()
                .setTlsStrategy(tls(s))
                .setDefaultTlsConfig(TlsConfig.custom().setVersionPolicy(policy).build())
                .setMaxConnPerRoute(s.concurrency()) // a connection carries one request at a time
                .setMaxConnTotal(s.concurrency());
        // snippet:end
    }

    private static TlsStrategy tls(Settings s) {
        return ClientTlsStrategyBuilder.create().setSslContext(s.ssl()).setTlsVersions(s.tlsVersions()).buildAsync();
    }

    private static Counted counted(HttpAsyncClientBuilder builder) {
        Dials dials = new Dials();
        return new Counted(builder.setIOSessionListener(dials).build(), dials.opened);
    }

    static String library() {
        return "Apache HttpClient " + VersionInfo.loadVersionInfo("org.apache.hc.client5", Clients.class.getClassLoader()).getRelease();
    }
}
