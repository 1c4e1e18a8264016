package h2lab.harness;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509TrustManager;

/**
 * What the command line asks for.
 *
 * @param protocol    "h1" or "h2"
 * @param maxTls      "1.2" or "1.3"
 * @param patience    how long the harness waits for a call; no time-out of the library's
 * @param ca          the PEM file alone that is trusted
 * @param ssl         a context that trusts {@code ca} alone and whose default parameters offer {@link #tlsVersions()}
 * @param trust       the trust manager inside {@code ssl}, for libraries that ask for both
 */
public record Settings(
        String variant,
        URI url,
        String protocol,
        int concurrency,
        Duration warmup,
        Duration duration,
        Duration patience,
        String method,
        int bodyBytes,
        Path ca,
        String maxTls,
        String nonce,
        boolean json,
        SSLContext ssl,
        X509TrustManager trust) {

    /** The backend counts requests by this header. */
    public static final String ID_HEADER = "X-Lab-Request-Id";

    public boolean h2() {
        return protocol.equals("h2");
    }

    /** The versions to offer, newest first, in JSSE's words. */
    public String[] tlsVersions() {
        return maxTls.equals("1.3") ? new String[] {"TLSv1.3", "TLSv1.2"} : new String[] {"TLSv1.2"};
    }

    /** False for a method that sends no body. */
    public boolean sendsBody() {
        return !method.equals("GET") && !method.equals("HEAD");
    }
}
