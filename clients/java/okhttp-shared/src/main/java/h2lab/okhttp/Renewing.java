package h2lab.okhttp;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Leaves a connection before the server's limit: one caller dials the next one alone, in a pool of its own,
 * while the others go on with the old one. A quarter of the server's limit, not half of it: while the next
 * connection shakes hands, which took 100 ms behind half a processor, the old one still serves everybody, and
 * 500 more calls can go by. No GOAWAY comes, so nothing is refused, sent twice or dialled by
 * everybody at once. OkHttp has no setting for it: a call that finds no connection dials one, and those that
 * turn out to be HTTP/2 are joined after the handshake (square/okhttp#5269: "working as designed").
 */
final class Renewing implements OkHttpSubject.Caller {
    // snippet:okhttp-renew
    static final int A_QUARTER_OF_THE_LIMIT = 250; // nginx: keepalive_requests 1000
    private final AtomicLong calls = new AtomicLong();
    private volatile OkHttpClient current;
    public Response execute(Request request) throws java.io.IOException {
        if (calls.incrementAndGet() % A_QUARTER_OF_THE_LIMIT != 0) return current.newCall(request).execute();
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
