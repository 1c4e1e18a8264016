package h2lab.harness;

/** Why the program ends, in one line for the reader, with the exit status of the whole lab. */
public final class Failed extends RuntimeException {
    public static final int COULD_NOT = 1;
    public static final int WRONG_USAGE = 2;
    public static final int IS_MISSING = 3;

    final int status;

    Failed(int status, String message) {
        super(message);
        this.status = status;
    }

    public static Failed couldNot(String message) {
        return new Failed(COULD_NOT, message);
    }

    public static Failed wrongUsage(String message) {
        return new Failed(WRONG_USAGE, message + "; see --help");
    }

    public static Failed isMissing(String message) {
        return new Failed(IS_MISSING, message);
    }
}
