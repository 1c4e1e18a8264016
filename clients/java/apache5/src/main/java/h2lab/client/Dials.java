package h2lab.client;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.hc.core5.reactor.IOSession;
import org.apache.hc.core5.reactor.IOSessionListener;

/** Counts the connections that the reactor has opened. */
final class Dials implements IOSessionListener {
    final AtomicLong opened = new AtomicLong();

    @Override
    public void connected(IOSession session) {
        opened.incrementAndGet();
    }

    @Override
    public void startTls(IOSession session) {
    }

    @Override
    public void inputReady(IOSession session) {
    }

    @Override
    public void outputReady(IOSession session) {
    }

    @Override
    public void timeout(IOSession session) {
    }

    @Override
    public void exception(IOSession session, Exception e) {
    }

    @Override
    public void disconnected(IOSession session) {
    }
}
