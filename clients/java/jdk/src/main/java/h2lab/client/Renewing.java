package h2lab.client;

import h2lab.harness.Settings;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Leaves a connection before the server's limit: one caller dials the next one alone, in a client of its own,
 * while the others go on with the old one, which ends when nothing refers to it any more. A quarter of the limit,
 * not half of it: while the next connection shakes hands, which took 100 ms behind half a processor, the old one
 * still serves everybody, and 500 more calls can go by.
 */
final class Renewing extends JdkSubject {
    Renewing(Settings settings) {
        super(settings);
        current = newClient();
    }

    // snippet:jdk-renew
    static final int A_QUARTER_OF_THE_LIMIT = 250; // nginx: keepalive_requests 1000
    private final AtomicLong calls = new AtomicLong();
    private volatile HttpClient current;
    HttpResponse<byte[]> exchange(HttpRequest request) throws IOException, InterruptedException {
        if (calls.incrementAndGet() % A_QUARTER_OF_THE_LIMIT != 0) return current.send(request, HttpResponse.BodyHandlers.ofByteArray());
        HttpClient next = newClient(); // HttpClient.newBuilder()….build()
        HttpResponse<byte[]> response = next.send(request, HttpResponse.BodyHandlers.ofByteArray()); // dials alone
        current = next;
        return response;
    }
    // snippet:end
}
