package h2lab.service;

/** A request that can't be served as it is, with the answer to it. */
public final class Refused extends RuntimeException {
    private final transient Answer answer;

    Refused(int status, String line) {
        super(line);
        answer = Answer.text(status, line);
    }

    public Answer answer() {
        return answer;
    }
}
