package h2lab.systems;

import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** The certificate for servers that want a Java key store and don't read PEM. */
final class Files {
    static final char[] PASSWORD = "changeit".toCharArray();

    private Files() {}

    static KeyStore keyStore(Path certificate, Path key) throws Exception {
        byte[] pem = java.nio.file.Files.readAllBytes(certificate);
        Certificate cert = CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
        String text = java.nio.file.Files.readString(key).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        var spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(text));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, PASSWORD);
        store.setKeyEntry("server", KeyFactory.getInstance("EC").generatePrivate(spec), PASSWORD, new Certificate[] {cert});
        return store;
    }

    static SSLContext context(Path certificate, Path key) throws Exception {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(keyStore(certificate, key), PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }
}
