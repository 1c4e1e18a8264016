package h2lab.service;

/** What a variant is built from. */
public final class Service {
    private final Arguments arguments;
    private final View view = new View();

    Service(Arguments arguments) {
        this.arguments = arguments;
    }

    public Arguments arguments() {
        return arguments;
    }

    public View view() {
        return view;
    }

    /** Trusts --ca alone; servers that call nobody need none. */
    public Trust trust() {
        return Trust.of(arguments.file("ca"));
    }
}
