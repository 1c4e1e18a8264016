package h2lab.client;

import h2lab.harness.Harness;
import h2lab.okhttp.OkHttp;

/** OkHttp 4.12. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Harness.main(args, OkHttp.variants("okhttp-4.12"));
    }
}
