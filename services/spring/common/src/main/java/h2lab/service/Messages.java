package h2lab.service;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/** An exception in one line, as a log shows it: class and message, then the causes that the message leaves out. */
public final class Messages {
    private static final int LONGEST = 2000;
    /** What differs between messages of one kind: ports, stream numbers, ids of channels and objects. */
    private static final Pattern VARYING =
            Pattern.compile("@[0-9a-f]+|0x[0-9a-f]+|\\b[0-9a-f]{8}(-[0-9a-f]+)*\\b|\\d+");

    private Messages() {
    }

    public static String of(Throwable thrown) {
        Throwable e = unwrap(thrown);
        StringBuilder line = new StringBuilder(String.valueOf(e));
        Throwable cause = e.getCause();
        for (int depth = 0; cause != null && depth < 5; depth++, cause = cause.getCause()) {
            if (line.indexOf(cause.toString()) < 0) { // Spring 5 ends its messages with the cause
                line.append("; Caused by: ").append(cause);
            }
        }
        String one = line.toString().replaceAll("\\s*[\\r\\n]+\\s*", " ");
        return one.length() > LONGEST ? one.substring(0, LONGEST - 1) + "…" : one;
    }

    /** The exception itself where a future wraps it. */
    static Throwable unwrap(Throwable thrown) {
        Throwable e = thrown;
        while ((e instanceof ExecutionException || e instanceof CompletionException) && e.getCause() != null) {
            e = e.getCause();
        }
        return e;
    }

    /** Equal for messages of one kind. */
    static String kind(String message) {
        return VARYING.matcher(message).replaceAll("#");
    }
}
