package h2lab.service;

/** How long /wait?ms=N waits. */
public final class Waits {
    private static final int LONGEST_MS = 30_000; // as the backend's

    private Waits() {
    }

    public static int parse(String ms) {
        if (ms != null && ms.matches("\\d{1,5}") && Integer.parseInt(ms) <= LONGEST_MS) {
            return Integer.parseInt(ms);
        }
        throw new Refused(400, "ms is not a whole number from 0 to " + LONGEST_MS + ": ask for /wait?ms=50");
    }
}
