package h2lab.okhttp;

import h2lab.harness.Harness.Maker;
import h2lab.harness.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;

/** The ways to set OkHttp up that all its versions share. */
public final class OkHttp {

    /** What a row sets on top of what the lab needs. */
    public interface Set extends BiConsumer<OkHttpClient.Builder, Settings> {
    }

    public static final Set NOTHING = (builder, settings) -> { };
    public static final Set NO_RETRY = (builder, settings) -> builder.retryOnConnectionFailure(false);
    public static final Set HTTP_1 = (builder, settings) -> speakHttp1(builder, settings.concurrency());

    private OkHttp() {
    }

    /** The rows of one version. */
    public static Map<String, Maker> variants(String name) {
        Map<String, Maker> all = new HashMap<>();
        all.put(name, plain(NOTHING));
        all.put(name + "-h1", plain(HTTP_1));
        all.put(name + "-renew", renewing(NOTHING));
        all.put(name + "-no-retry", plain(NO_RETRY));
        all.put(name + "-no-retry-renew", renewing(NO_RETRY));
        return all;
    }

    /** One client for all workers. */
    private static Maker plain(Set set) {
        return settings -> {
            CountingSockets sockets = new CountingSockets();
            OkHttpClient client = client(settings, sockets, set);
            return new OkHttpSubject(request -> client.newCall(request).execute(), sockets, settings);
        };
    }

    private static Maker renewing(Set set) {
        return settings -> {
            CountingSockets sockets = new CountingSockets();
            return new OkHttpSubject(new Renewing(client(settings, sockets, set)), sockets, settings);
        };
    }

    public static OkHttpClient client(Settings settings, CountingSockets sockets, Set set) {
        OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .sslSocketFactory(settings.ssl().getSocketFactory(), settings.trust())
                .socketFactory(sockets);
        if (!settings.h2()) {
            builder.protocols(List.of(Protocol.HTTP_1_1));
        }
        set.accept(builder, settings);
        return builder.build();
    }

    private static void speakHttp1(OkHttpClient.Builder builder, int threads) {
        // snippet:okhttp-h1
        builder.protocols(List.of(Protocol.HTTP_1_1));
        // The default pool keeps 5 idle connections: with more threads than that most calls would dial.
        builder.connectionPool(new ConnectionPool(threads, 5, TimeUnit.MINUTES));
        // snippet:end
    }
}
