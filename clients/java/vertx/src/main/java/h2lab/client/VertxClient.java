package h2lab.client;

import h2lab.harness.Reply;
import h2lab.harness.Settings;
import h2lab.harness.Subject;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** One WebClient. */
final class VertxClient implements Subject {
    private final Vertx vertx = Vertx.vertx();
    private final Settings settings;
    private final WebClient client;
    private final boolean retries;
    private final AtomicLong dialled = new AtomicLong();

    VertxClient(Settings settings, WebClientOptions options, PoolOptions pool, boolean retries) {
        this.settings = settings;
        this.retries = retries;
        HttpClient http = vertx.httpClientBuilder().with(options).with(pool)
                .withConnectHandler(connection -> dialled.incrementAndGet())
                .build();
        client = WebClient.wrap(http, options);
    }

    @Override
    public CompletableFuture<Reply> send(String id, byte[] body) {
        Future<HttpResponse<Buffer>> call = retries ? Cures.retrying(vertx, () -> once(id, body), 5) : once(id, body);
        return call.map(r -> new Reply(r.statusCode(), r.body() == null ? new byte[0] : r.body().getBytes(), Reply.protocol(r.version())))
                .toCompletionStage().toCompletableFuture();
    }

    private Future<HttpResponse<Buffer>> once(String id, byte[] body) {
        var request = client.requestAbs(HttpMethod.valueOf(settings.method()), settings.url().toString()).putHeader(Settings.ID_HEADER, id);
        return settings.sendsBody() ? request.sendBuffer(Buffer.buffer(body)) : request.send();
    }

    @Override
    public Long dialled() {
        return dialled.get();
    }

    @Override
    public String library() {
        return "Vert.x WebClient " + WebClient.class.getPackage().getImplementationVersion();
    }
}
