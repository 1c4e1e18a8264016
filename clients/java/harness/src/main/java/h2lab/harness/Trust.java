package h2lab.harness;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts one PEM file alone, by the JDK's own trust manager; on the way it notes the TLS version of
 * every full handshake, which most libraries don't tell. A resumed session doesn't pass here.
 */
final class Trust extends X509ExtendedTrustManager {
    private static volatile String seen = "";

    final SSLContext context;
    private final X509ExtendedTrustManager jdk;

    private Trust(X509ExtendedTrustManager jdk, String maxTls) throws GeneralSecurityException {
        this.jdk = jdk;
        context = SSLContext.getInstance("TLSv" + maxTls); // its defaults end at this version
        context.init(null, new TrustManager[] {this}, null);
    }

    static Trust of(Path pem, String maxTls) {
        if (!Files.isReadable(pem)) {
            throw Failed.isMissing("the CA file " + pem + " is not there: run `make certs`");
        }
        try (InputStream in = Files.newInputStream(pem)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int n = 0;
            for (Certificate c : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + n++, c);
            }
            if (n == 0) {
                throw Failed.isMissing("the CA file " + pem + " holds no certificate: run `make certs`");
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return new Trust((X509ExtendedTrustManager) factory.getTrustManagers()[0], maxTls);
        } catch (IOException | GeneralSecurityException e) {
            throw Failed.isMissing("the CA file " + pem + " is unreadable: " + e.getMessage() + ": run `make certs`");
        }
    }

    /** Version of the last full handshake: "1.2", "1.3", or empty. */
    static String version() {
        return seen;
    }

    private static void note(SSLSession session) {
        if (session != null) {
            seen = session.getProtocol().replace("TLSv", "");
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        note(socket instanceof SSLSocket s ? s.getHandshakeSession() : null);
        jdk.checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        note(engine == null ? null : engine.getHandshakeSession());
        jdk.checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        jdk.checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        jdk.checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        jdk.checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        jdk.checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return jdk.getAcceptedIssuers();
    }
}
