package h2lab.client;

import h2lab.harness.Reply;
import h2lab.harness.Settings;
import h2lab.harness.Subject;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.ClientTlsStrategyBuilder;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;

/** The blocking client. It speaks HTTP/1.1 alone; its pool of 5 connections a route is raised, as any application must. */
final class Classic implements Subject {
    private final Settings settings;
    private final CloseableHttpClient client;

    Classic(Settings settings) {
        this.settings = settings;
        // snippet:apache5-classic
        var pool = PoolingHttpClientConnectionManagerBuilder.create()
                .setTlsSocketStrategy(tls().buildClassic())
                .setMaxConnPerRoute(settings.concurrency()) // 5 if nobody says so
                .setMaxConnTotal(settings.concurrency())
                .build();
        client = HttpClients.custom().setConnectionManager(pool).build();
        // snippet:end
    }

    private ClientTlsStrategyBuilder tls() {
        return ClientTlsStrategyBuilder.create().setSslContext(settings.ssl()).setTlsVersions(settings.tlsVersions());
    }

    @Override
    public CompletableFuture<Reply> send(String id, byte[] body) throws Exception {
        var request = ClassicRequestBuilder.create(settings.method()).setUri(settings.url()).addHeader(Settings.ID_HEADER, id);
        if (settings.sendsBody()) {
            request.setEntity(new ByteArrayEntity(body, ContentType.TEXT_PLAIN));
        }
        return CompletableFuture.completedFuture(client.execute(request.build(), response -> new Reply(response.getCode(),
                EntityUtils.toByteArray(response.getEntity()), Reply.protocol(response.getVersion()))));
    }

    @Override
    public String library() {
        return Clients.library();
    }
}
