package h2lab.service;

import java.net.URI;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * What every forwarder does with a request for /through/TOPOLOGY/…: it reads a row, calls the upstream and counts.
 * The upstream is not called where the row can't be read.
 */
public final class Through {
    private static final String PREFIX = "/through/";
    private final Arguments arguments;
    private final View view;
    private final Database database;

    public Through(Service service) {
        arguments = service.arguments();
        arguments.upstreams(); // says so where none is given
        view = service.view();
        database = new Database(view);
    }

    /** The call that a request asks for. */
    public Call call(String method, URI request, String id, String type, byte[] body) {
        String path = request.getRawPath().substring(PREFIX.length());
        int slash = path.indexOf('/');
        Upstream upstream = arguments.upstream(slash < 0 ? path : path.substring(0, slash));
        if (upstream == null) {
            throw new Refused(404, "no such upstream: call " + PREFIX + "NAME/..., with NAME one of " + names());
        }
        // Servers parse such a body, and Spring MVC would write it anew with the query's parameters in it.
        if (type != null && type.startsWith("application/x-www-form-urlencoded")) {
            throw new Refused(415, "a form is not passed on: send the body as text/plain, as with curl -H"
                    + " 'Content-Type: text/plain'");
        }
        String query = request.getRawQuery() == null ? "" : "?" + request.getRawQuery();
        URI url = URI.create(upstream.origin() + (slash < 0 ? "/" : path.substring(slash)) + query);
        view.request();
        return new Call(method, url, id, type, body == null || body.length == 0 ? null : body);
    }

    private String names() {
        return arguments.upstreams().stream().map(Upstream::name).collect(Collectors.joining(", "));
    }

    /** On the calling thread, which waits. */
    public Answer blocking(Call call, Caller caller) {
        try {
            readRow();
        } catch (SQLException e) {
            return rejected(e);
        }
        long began = System.nanoTime();
        try {
            return answered(caller.call(call), began);
        } catch (Throwable e) {
            return failed(e, began);
        }
    }

    /** The row on the calling thread, the call wherever the library does it. */
    public CompletableFuture<Answer> async(Call call, Caller.Async caller) {
        try {
            readRow();
        } catch (SQLException e) {
            return CompletableFuture.completedFuture(rejected(e));
        }
        long began = System.nanoTime();
        CompletionStage<Call.Reply> reply;
        try {
            reply = caller.call(call);
        } catch (Throwable e) {
            return CompletableFuture.completedFuture(failed(e, began));
        }
        return reply.handle((r, e) -> e == null ? answered(r, began) : failed(e, began)).toCompletableFuture();
    }

    public void readRow() throws SQLException {
        long began = System.nanoTime();
        database.anyName();
        view.row(System.nanoTime() - began);
    }

    /** A call that was answered; only 200 is a success. */
    public Answer answered(Call.Reply reply, long began) {
        if (reply.status() != 200) {
            return failed(new IllegalStateException("the upstream answered " + reply.status()), began);
        }
        view.succeeded(System.nanoTime() - began);
        return Answer.of(reply);
    }

    /** A call that failed: 502, or 503 where the library's queue for a connection was full. */
    public Answer failed(Throwable thrown, long began) {
        String message = Messages.of(thrown);
        view.failed(System.nanoTime() - began, message);
        return Answer.text(message.contains("PoolAcquirePendingLimitException") ? 503 : 502, message);
    }

    /** A request that never became a call: no thread or no row for it. */
    public Answer rejected(Throwable thrown) {
        view.rejected();
        return Answer.text(503, Messages.of(thrown));
    }
}
