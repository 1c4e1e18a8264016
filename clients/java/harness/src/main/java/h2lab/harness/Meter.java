package h2lab.harness;

/** What a subject counts since it was made, at one moment. */
record Meter(Long dialled, Long reported, String tls) {

    static Meter of(Subject subject) {
        String tls = subject.tlsVersion();
        return new Meter(subject.dialled(), subject.reported(), tls.isEmpty() ? Trust.version() : tls);
    }

    static Long between(Long before, Long after) {
        return before == null || after == null ? null : Long.valueOf(after - before);
    }
}
