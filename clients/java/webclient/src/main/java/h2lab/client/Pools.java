package h2lab.client;

import reactor.netty.http.HttpResources;
import reactor.netty.http.client.Http2AllocationStrategy;
import reactor.netty.resources.ConnectionProvider;

/** Connection pools of Reactor Netty. */
final class Pools {
    private Pools() {
    }

    /** The one of HttpClient.create(): 500 connections at most, and 1000 calls may wait for one. */
    static ConnectionProvider fixed() {
        return HttpResources.get();
    }

    /** What HTTP/2 is often wanted for: one connection, shared by all. */
    static ConnectionProvider oneConnection() {
        return ConnectionProvider.builder("one").maxConnections(1).pendingAcquireMaxCount(-1).build();
    }

    /** The builder has other defaults than HttpClient.create(): with two cores 16 connections, and 32 calls may wait. */
    static ConnectionProvider shortQueue() {
        return ConnectionProvider.builder("short").build();
    }

    static ConnectionProvider longerQueue() {
        // snippet:webclient-longer-queue
        return ConnectionProvider.builder("longer")
                .pendingAcquireMaxCount(1000) // 2 x maxConnections if nobody says so
                .build();
        // snippet:end
    }

    static ConnectionProvider oneStream(int concurrency) {
        // snippet:webclient-one-stream
        return ConnectionProvider.builder("streams").allocationStrategy(Http2AllocationStrategy.builder()
                .maxConcurrentStreams(1).maxConnections(concurrency).build()).build();
        // snippet:end
    }
}
