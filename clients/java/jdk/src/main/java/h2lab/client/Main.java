package h2lab.client;

import h2lab.harness.Harness;
import h2lab.harness.Harness.Maker;
import h2lab.harness.Settings;
import java.net.http.HttpClient;
import java.util.HashMap;
import java.util.Map;

/** The JDK's own HttpClient; the rows with -newer run on a newer JDK (see run.sh). */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Map<String, Maker> variants = new HashMap<>();
        for (String name : new String[] {"jdk-httpclient", "jdk-httpclient-newer"}) {
            variants.put(name, JdkSubject::new);
            variants.put(name + "-h1", Http1::new);
            variants.put(name + "-renew", Renewing::new);
        }
        Harness.main(args, variants);
    }

    /** Keep-alive connections are unlimited in number by default, so there is no pool to size. */
    private static final class Http1 extends JdkSubject {
        Http1(Settings settings) {
            super(settings);
        }

        @Override
        void set(HttpClient.Builder builder) {
            // snippet:jdk-h1
            builder.version(HttpClient.Version.HTTP_1_1);
            // snippet:end
        }
    }
}
