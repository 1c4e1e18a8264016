package h2lab.client;

import h2lab.harness.Reply;
import h2lab.harness.Settings;
import h2lab.harness.Subject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLParameters;

/** send() on the workers' own threads; one HttpClient for all. */
class JdkSubject implements Subject {
    private final Settings settings;
    private final HttpClient client;

    JdkSubject(Settings settings) {
        this.settings = settings;
        this.client = newClient();
    }

    final HttpClient newClient() {
        SSLParameters tls = new SSLParameters();
        tls.setProtocols(settings.tlsVersions());
        HttpClient.Builder builder = HttpClient.newBuilder()
                .sslContext(settings.ssl())
                .sslParameters(tls)
                .version(settings.h2() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1);
        set(builder);
        return builder.build();
    }

    /** What a row sets on top of what the lab needs. */
    void set(HttpClient.Builder builder) {
    }

    @Override
    public CompletableFuture<Reply> send(String id, byte[] body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(settings.url())
                .method(settings.method(), settings.sendsBody()
                        ? HttpRequest.BodyPublishers.ofByteArray(body) : HttpRequest.BodyPublishers.noBody())
                .header(Settings.ID_HEADER, id)
                .build();
        HttpResponse<byte[]> answer = exchange(request);
        return Subject.done(answer.statusCode(), answer.body(), Reply.protocol(answer.version()));
    }

    HttpResponse<byte[]> exchange(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    }

    @Override
    public String library() {
        return "java.net.http of JDK " + Runtime.version().feature();
    }
}
