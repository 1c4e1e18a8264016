package h2lab.harness;

import java.util.logging.LogManager;

/** Libraries' own logs would cost what is measured: java.util.logging is emptied; slf4j has no binding here. */
final class Quiet {
    private Quiet() {
    }

    static void logs() {
        LogManager.getLogManager().reset();
    }
}
