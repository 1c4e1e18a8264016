package h2lab.service;

/** Why the service ends or does not start: one line for the reader, with the exit status of the whole lab. */
public final class Failed extends RuntimeException {
    final int status;

    private Failed(int status, String message) {
        super(message);
        this.status = status;
    }

    public static Failed couldNot(String message) {
        return new Failed(1, message);
    }

    public static Failed wrongUsage(String message) {
        return new Failed(2, message + "; see --help");
    }
}
