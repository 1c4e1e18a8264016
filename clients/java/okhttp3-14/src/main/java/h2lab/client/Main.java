package h2lab.client;

import h2lab.harness.Harness;
import h2lab.okhttp.OkHttp;

/** OkHttp 3.14, the last of the 3.x family. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Harness.main(args, OkHttp.variants("okhttp-3.14"));
    }
}
