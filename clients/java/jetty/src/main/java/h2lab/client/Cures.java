package h2lab.client;

import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.MultiplexConnectionPool;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;

/** What an application can do about it. */
final class Cures {
    private Cures() {
    }

    static void maxUsage(HttpClient client, HttpClientTransportDynamic transport) {
        // snippet:jetty-max-usage
        transport.setConnectionPoolFactory(destination -> {
            var pool = new MultiplexConnectionPool(destination, client.getMaxConnectionsPerDestination(), 1);
            pool.setMaxUsage(900); // below the server's limit, so that the client ends the connection first
            return pool;
        });
        // snippet:end
    }
}
