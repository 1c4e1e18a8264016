package h2lab.service.gateway;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.concurrent.atomic.LongAdder;

/** The front's connections and requests since the start. */
final class Counters {
    private static final AttributeKey<Boolean> USED = AttributeKey.valueOf("h2lab.used");

    private final LongAdder accepted = new LongAdder();
    private final LongAdder used = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private volatile boolean ready;

    void accepted() {
        accepted.increment();
    }

    /** channel is the connection over HTTP/1.1, and a stream of it over HTTP/2. */
    void request(Channel channel) {
        requests.increment();
        boolean stream = channel.parent() != null && channel.parent().parent() != null;
        if ((stream ? channel.parent() : channel).attr(USED).setIfAbsent(true) == null) {
            used.increment();
        }
    }

    void ready() {
        ready = true;
    }

    boolean isReady() {
        return ready;
    }

    String json() {
        return String.format("{\"accepted\":%d,\"used\":%d,\"requests\":%d}%n", accepted.sum(), used.sum(),
                requests.sum());
    }
}
