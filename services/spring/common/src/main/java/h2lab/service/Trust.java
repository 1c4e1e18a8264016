package h2lab.service;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Trusts the authorities of one PEM file and no other; libraries check the host name themselves, as always. */
public record Trust(Path file, SSLContext context, X509TrustManager manager) {

    static Trust of(Path pem) {
        try (InputStream in = Files.newInputStream(pem)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int n = 0;
            for (Certificate c : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + n++, c);
            }
            if (n == 0) {
                throw Failed.couldNot("--ca " + pem + " holds no certificate: run `make certs`");
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            X509TrustManager manager = (X509TrustManager) factory.getTrustManagers()[0];
            // JSSE's own choice of versions: 1.3 and 1.2, except for libraries that ask for less.
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {manager}, null);
            return new Trust(pem, context, manager);
        } catch (IOException | GeneralSecurityException e) {
            throw Failed.couldNot("--ca " + pem + " is no PEM file of certificates (" + e.getMessage()
                    + "): run `make certs`");
        }
    }
}
