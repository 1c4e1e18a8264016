package h2lab.client;

import h2lab.harness.Reply;
import h2lab.harness.Settings;
import h2lab.harness.Subject;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.ContentResponse;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.transport.HttpClientConnectionFactory;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.ClientConnectionFactoryOverHTTP2;
import org.eclipse.jetty.io.ClientConnectionFactory;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** One HttpClient with the dynamic transport, which negotiates HTTP/2 or HTTP/1.1. */
final class Jetty implements Subject {
    private final Settings settings;
    private final HttpClient client;
    private final AtomicLong dialled = new AtomicLong();

    Jetty(Settings settings, BiConsumer<HttpClient, HttpClientTransportDynamic> change) throws Exception {
        this.settings = settings;
        ClientConnector connector = connector(settings);
        HttpClientTransportDynamic transport = new HttpClientTransportDynamic(connector, protocols(settings, connector));
        client = new HttpClient(transport);
        change.accept(client, transport);
        client.start();
        connector.addEventListener(new ClientConnector.ConnectListener() {
            @Override
            public void onConnectSuccess(SocketChannel channel) {
                dialled.incrementAndGet();
            }
        });
    }

    private static ClientConnector connector(Settings settings) {
        SslContextFactory.Client tls = new SslContextFactory.Client();
        tls.setSslContext(settings.ssl());
        tls.setIncludeProtocols(settings.tlsVersions());
        ClientConnector connector = new ClientConnector();
        connector.setSslContextFactory(tls);
        return connector;
    }

    /** The first is the one that the application prefers. */
    private static ClientConnectionFactory.Info[] protocols(Settings settings, ClientConnector connector) {
        var http1 = HttpClientConnectionFactory.HTTP11;
        if (!settings.h2()) {
            return new ClientConnectionFactory.Info[] {http1};
        }
        var http2 = new ClientConnectionFactoryOverHTTP2.HTTP2(new HTTP2Client(connector));
        return new ClientConnectionFactory.Info[] {http2, http1};
    }

    @Override
    public CompletableFuture<Reply> send(String id, byte[] body) {
        CompletableFuture<ContentResponse> call = once(id, body);
        CompletableFuture<Reply> reply = call.thenApply(r -> new Reply(r.getStatus(), r.getContent(), Reply.protocol(r.getVersion())));
        reply.whenComplete((done, error) -> {
            if (reply.isCancelled()) {
                call.cancel(true);
            }
        });
        return reply;
    }

    private CompletableFuture<ContentResponse> once(String id, byte[] body) {
        Request request = client.newRequest(settings.url()).method(settings.method()).headers(h -> h.put(Settings.ID_HEADER, id));
        if (settings.sendsBody()) {
            request.body(new BytesRequestContent("text/plain", body));
        }
        return new CompletableResponseListener(request).send();
    }

    @Override
    public Long dialled() {
        return dialled.get();
    }

    @Override
    public String library() {
        return "Jetty HttpClient " + org.eclipse.jetty.util.Jetty.VERSION;
    }
}
