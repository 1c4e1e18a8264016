package h2lab.okhttp;

import h2lab.harness.Reply;
import h2lab.harness.Settings;
import h2lab.harness.Subject;
import h2lab.harness.Versions;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;

/**
 * execute() on the workers' own threads, as Feign, Retrofit's blocking calls and Spring do. Compiled
 * against 3.4.2 and run with every version: OkHttp has kept these classes since.
 */
final class OkHttpSubject implements Subject {

    /** What the application makes of its client; a hung call ends by the interrupt that the harness sends. */
    interface Caller {
        Response execute(Request request) throws IOException;
    }

    private final Caller caller;
    private final CountingSockets sockets;
    private final Settings settings;
    private final HttpUrl url;

    OkHttpSubject(Caller caller, CountingSockets sockets, Settings settings) {
        this.caller = caller;
        this.sockets = sockets;
        this.settings = settings;
        this.url = HttpUrl.parse(settings.url().toString());
    }

    @Override
    public CompletableFuture<Reply> send(String id, byte[] body) throws IOException {
        Request request = new Request.Builder()
                .url(url)
                .method(settings.method(), settings.sendsBody() ? RequestBody.create(null, body) : null)
                .header(Settings.ID_HEADER, id)
                .build();
        try (Response response = caller.execute(request)) {
            return Subject.done(response.code(), response.body().bytes(), Reply.protocol(response.protocol()));
        }
    }

    @Override
    public Long dialled() {
        return sockets.connected();
    }

    @Override
    public String library() {
        return "OkHttp " + Versions.of(OkHttpClient.class);
    }
}
