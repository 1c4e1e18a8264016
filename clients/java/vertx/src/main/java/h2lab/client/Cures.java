package h2lab.client;

import h2lab.harness.Settings;
import io.netty.handler.codec.http2.Http2Exception;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.ext.web.client.WebClientOptions;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The client as it comes, and what an application can do about it. */
final class Cures {
    private Cures() {
    }

    static WebClientOptions options(Settings s) {
        return (WebClientOptions) new WebClientOptions().setSsl(true).setUseAlpn(true)
                .setProtocolVersion(s.h2() ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1)
                .setTrustOptions(TrustOptions.wrap(s.trust()))
                .setEnabledSecureTransportProtocols(Set.of(s.tlsVersions()));
    }

    static WebClientOptions oneStream(Settings s) {
        // snippet:vertx-one-stream
        return (WebClientOptions) options(s).setHttp2MultiplexingLimit(1);
    }

    static PoolOptions oneStreamPool(int concurrency) {
        return new PoolOptions().setHttp2MaxSize(concurrency); // 1 if nobody says so
        // snippet:end
    }

    static WebClientOptions http1(Settings s) {
        // snippet:vertx-h1
        return (WebClientOptions) options(s).setProtocolVersion(HttpVersion.HTTP_1_1).setUseAlpn(false);
    }

    static PoolOptions http1Pool(int concurrency) {
        return new PoolOptions().setHttp1MaxSize(concurrency); // 5 if nobody says so
        // snippet:end
    }

    /** After a pause, since the pool may hand the same dead connection out again at once. */
    // snippet:vertx-retry
    static <T> Future<T> retrying(Vertx vertx, Supplier<Future<T>> call, int retries) {
        return call.get().recover(e -> retries > 0 && wasNotProcessed(e)
                ? vertx.timer(10, TimeUnit.MILLISECONDS).compose(tick -> retrying(vertx, call, retries - 1))
                : Future.failedFuture(e));
    }

    /** Beyond the last stream of a GOAWAY, or never sent. By the message, since in 5.1.6 HttpClosedException.goAway() throws. */
    private static boolean wasNotProcessed(Throwable e) {
        return (e instanceof HttpClosedException || e instanceof Http2Exception) && e.getMessage().contains("GOAWAY");
    }
    // snippet:end
}
