package h2lab.client;

import h2lab.harness.Harness;
import h2lab.okhttp.OkHttp;

/** OkHttp 3.4.2 (2016), of the first versions with HTTP/2. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Harness.main(args, OkHttp.variants("okhttp-3.4.2"));
    }
}
