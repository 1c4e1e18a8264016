package h2lab.okhttp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;

/** Plain sockets that count once they are connected; OkHttp before 3.9 has no EventListener to ask. */
public final class CountingSockets extends SocketFactory {
    private final AtomicLong connected = new AtomicLong();

    public long connected() {
        return connected.get();
    }

    @Override
    public Socket createSocket() {
        return new Socket() {
            @Override
            public void connect(SocketAddress to, int timeout) throws IOException {
                super.connect(to, timeout);
                connected.incrementAndGet();
            }
        };
    }

    // OkHttp calls the one above alone.

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress from, int fromPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) {
        throw new UnsupportedOperationException();
    }
}
