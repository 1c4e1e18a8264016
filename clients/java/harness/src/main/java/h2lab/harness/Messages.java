package h2lab.harness;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** An exception in one line, as a log shows it: class and message, then its causes. */
public final class Messages {
    private static final int LONGEST = 600;

    private Messages() {
    }

    public static String of(Throwable thrown) {
        Throwable e = thrown;
        while ((e instanceof ExecutionException || e instanceof CompletionException) && e.getCause() != null) {
            e = e.getCause(); // the future's wrapping says nothing
        }
        StringBuilder line = new StringBuilder(String.valueOf(e));
        Throwable cause = e.getCause();
        for (int depth = 0; cause != null && depth < 5; depth++, cause = cause.getCause()) {
            line.append("; Caused by: ").append(cause);
        }
        return oneLine(line.toString());
    }

    static String oneLine(String text) {
        String line = text.replaceAll("\\s*[\\r\\n]+\\s*", " ");
        return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    }
}
