package h2lab.service.boot2;

import h2lab.service.Call;
import h2lab.service.Caller;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;

/**
 * Leaves a connection before the server's limit: one caller dials the next one alone, in a pool of its own, while
 * the others go on with the old one. A quarter of the limit leaves time for the handshake. OkHttp has no setting for
 * it: a call that finds no connection dials one (square/okhttp#5269: "working as designed").
 */
final class Renewing implements Caller {
    // snippet:okhttp-renew
    static final int A_QUARTER_OF_THE_LIMIT = 250; // nginx: keepalive_requests 1000
    private final AtomicLong calls = new AtomicLong();
    private final OkHttpClient client;
    private volatile Caller current;

    @Override
    public Call.Reply call(Call call) throws Exception {
        if (calls.incrementAndGet() % A_QUARTER_OF_THE_LIMIT != 0) return current.call(call);
        ConnectionPool own = new ConnectionPool(1, 10, TimeUnit.SECONDS);
        Caller next = OkHttp.restTemplate(client.newBuilder().connectionPool(own).build());
        Call.Reply reply = next.call(call); // dials alone
        current = next;
        return reply;
    }
    // snippet:end

    Renewing(OkHttpClient client) {
        this.client = client;
        this.current = OkHttp.restTemplate(client);
    }
}
