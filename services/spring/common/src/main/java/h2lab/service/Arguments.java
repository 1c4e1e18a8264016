package h2lab.service;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** The command line: the variant's name, then flags. */
public final class Arguments {
    private static final String HELP = """
            NAME --port P [--ca FILE --upstream TOPOLOGY=HOST:PORT ...]
              --port P          plain HTTP/1.1 on 127.0.0.1:P (scg: TLS with HTTP/2 and HTTP/1.1)
              --ca FILE         PEM file of the one authority that is trusted
              --upstream T=H:P  a TLS front, called by /through/T/...; may be repeated
              --counters Q      scg alone: plain HTTP on 127.0.0.1:Q, /lab/counters.json
              --cert F, --key F scg alone: PEM files of the front's certificate and key
            """;
    private static final List<String> SINGLE = List.of("port", "ca", "counters", "cert", "key");

    private final String variant;
    private final Map<String, String> given = new HashMap<>();
    private final Map<String, Upstream> upstreams = new TreeMap<>();

    private Arguments(String variant) {
        this.variant = variant;
    }

    /** Null after --help. */
    static Arguments parse(String[] args, Collection<String> variants) {
        if (List.of(args).contains("--help")) {
            System.out.print(HELP);
            return null;
        }
        String name = args.length == 0 ? "" : args[0];
        if (!variants.contains(name)) {
            throw Failed.wrongUsage("no service of this program is called \"" + name + "\": choose one of "
                    + String.join(", ", new TreeSet<>(variants)));
        }
        Arguments arguments = new Arguments(name);
        arguments.read(new ArrayList<>(List.of(args).subList(1, args.length)));
        arguments.port("port");
        return arguments;
    }

    private void read(List<String> rest) {
        while (!rest.isEmpty()) {
            String arg = rest.remove(0);
            int equals = arg.indexOf('=');
            String name = arg.startsWith("--") ? arg.substring(2, equals < 0 ? arg.length() : equals) : "";
            if (!SINGLE.contains(name) && !name.equals("upstream")) {
                throw Failed.wrongUsage((arg.startsWith("--") ? "unknown flag " : "unexpected argument ") + arg);
            }
            if (equals < 0 && rest.isEmpty()) {
                throw Failed.wrongUsage("--" + name + " needs a value");
            }
            take(name, equals < 0 ? rest.remove(0) : arg.substring(equals + 1));
        }
    }

    private void take(String name, String value) {
        if (name.equals("upstream")) {
            Upstream upstream = Upstream.parse(value);
            if (upstreams.put(upstream.name(), upstream) != null) {
                throw Failed.wrongUsage("--upstream " + upstream.name() + " is given twice");
            }
        } else if (given.put(name, value) != null) {
            throw Failed.wrongUsage("--" + name + " is given twice");
        }
    }

    public String variant() {
        return variant;
    }

    /** The port that a flag names. */
    public int port(String flag) {
        String text = required(flag);
        if (text.matches("\\d{1,5}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= 65535) {
            return Integer.parseInt(text);
        }
        throw Failed.wrongUsage("--" + flag + " " + text + " is no port: give a whole number from 1 to 65535");
    }

    /** The file that a flag names. */
    public Path file(String flag) {
        Path file = Path.of(required(flag));
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw Failed.couldNot("--" + flag + " " + file + " can't be read: make the certificates with `make certs`"
                    + " and start from the project's root");
        }
        return file;
    }

    public Upstream upstream(String name) {
        return upstreams.get(name);
    }

    /** Every upstream, at least one. */
    public Collection<Upstream> upstreams() {
        if (upstreams.isEmpty()) {
            throw Failed.wrongUsage("--upstream TOPOLOGY=HOST:PORT is missing: give one such as"
                    + " --upstream nginx-1000=127.0.0.1:18101");
        }
        return upstreams.values();
    }

    private String required(String flag) {
        String value = given.get(flag);
        if (value == null) {
            throw Failed.wrongUsage("--" + flag + " is missing");
        }
        return value;
    }
}
