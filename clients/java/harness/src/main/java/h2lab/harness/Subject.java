package h2lab.harness;

import java.util.concurrent.CompletableFuture;

/** One client library as an application has set it up: one shared client object for all workers. */
public interface Subject extends AutoCloseable {

    /**
     * Sends one request with the header {@link Settings#ID_HEADER} and reads its answer to the end.
     *
     * <p>A blocking library does its work here, on the worker's own thread, and returns {@link #done}
     * or throws what its user would see. An asynchronous library returns its future. {@code body} is
     * empty when the method sends none.
     */
    CompletableFuture<Reply> send(String id, byte[] body) throws Exception;

    /** What a page shall call it, with the version that is on the class path: {@code OkHttp 4.12.0}. */
    String library();

    /** Connections opened since the client was made, where the library can tell; null where it can't. */
    default Long dialled() {
        return null;
    }

    /** Of {@link #dialled}, where the library counts something else too (a pool's "created" counter). */
    default Long reported() {
        return null;
    }

    /** The TLS version that was negotiated, {@code 1.2} or {@code 1.3}; empty where the library can't tell. */
    default String tlsVersion() {
        return "";
    }

    /** The call with this id has hung beyond --patience: cancel it, if that is possible. */
    default void cancelled(String id) {
    }

    /** What the library says about itself when a call has hung: appended to that failure's message. */
    default String saysOfHung(String id) {
        return "";
    }

    @Override
    default void close() throws Exception {
    }

    static CompletableFuture<Reply> done(int status, byte[] body, String protocol) {
        return CompletableFuture.completedFuture(new Reply(status, body, protocol));
    }
}
