package h2lab.client;

import h2lab.harness.Reply;
import h2lab.harness.Settings;
import h2lab.harness.Subject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;

/** An asynchronous client, with its simple messages. */
final class Async implements Subject {
    private final Settings settings;
    private final Clients.Counted counted;

    Async(Settings settings, Clients.Counted counted) {
        this.settings = settings;
        this.counted = counted;
        counted.client().start();
    }

    @Override
    public CompletableFuture<Reply> send(String id, byte[] body) {
        var request = SimpleRequestBuilder.create(settings.method()).setUri(settings.url()).addHeader(Settings.ID_HEADER, id);
        if (settings.sendsBody()) {
            request.setBody(body, ContentType.TEXT_PLAIN);
        }
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        Future<SimpleHttpResponse> call = counted.client().execute(request.build(), new Completes(reply));
        reply.whenComplete((done, error) -> {
            if (reply.isCancelled()) {
                call.cancel(true);
            }
        });
        return reply;
    }

    /** Hands the library's callback over to the harness's future. */
    private record Completes(CompletableFuture<Reply> reply) implements FutureCallback<SimpleHttpResponse> {
        @Override
        public void completed(SimpleHttpResponse response) {
            byte[] body = response.getBodyBytes();
            reply.complete(new Reply(response.getCode(), body == null ? new byte[0] : body, Reply.protocol(response.getVersion())));
        }

        @Override
        public void failed(Exception e) {
            reply.completeExceptionally(e);
        }

        @Override
        public void cancelled() {
            reply.completeExceptionally(new java.util.concurrent.CancellationException("the client cancelled the request"));
        }
    }

    @Override
    public Long dialled() {
        return counted.dialled().get();
    }

    @Override
    public String library() {
        return Clients.library();
    }
}
