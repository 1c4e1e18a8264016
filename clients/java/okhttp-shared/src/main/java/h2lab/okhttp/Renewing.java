package h2lab.okhttp;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Leaves a connection before the server's limit: one caller dials the next one alone, in a pool of its own,
 * while the others go on with the old one. No GOAWAY comes, so nothing is refused, sent twice or dialled by
 * everybody at once. OkHttp has no setting for it: a call that finds no connection dials one, and those that
 * turn out to be HTTP/2 are joined after the handshake (square/okhttp#5269: "working as designed").
 */
final class Renewing implements OkHttpSubject.Caller {
    // snippet:okhttp-renew
    static final int HALF_THE_SERVERS_LIMIT = 500; // nginx: keepalive_requests 1000
    private final AtomicLong calls = new AtomicLong();
    private volatile OkHttpClient current;
    public Response execute(Request request) throws java.io.IOException {
        if (calls.incrementAndGet() % HALF_THE_SERVERS_LIMIT != 0) return current.newCall(request).execute();
        OkHttpClient next = current.newBuilder().connectionPool(new ConnectionPool(1, 10, TimeUnit.SECONDS)).build();
        Response response = next.newCall(request).execute(); // dials alone
        current = next;
        return response;
    }
    // snippet:end

    Renewing(OkHttpClient first) {
        current = first;
    }
}
