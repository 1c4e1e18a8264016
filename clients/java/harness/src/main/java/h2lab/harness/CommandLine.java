package h2lab.harness;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The flags that all client programs of the lab share. */
final class CommandLine {
    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry("url", ""), Map.entry("protocol", "h2"), Map.entry("variant", ""), Map.entry("concurrency", "100"),
            Map.entry("pools", "1"), Map.entry("warmup", "1s"), Map.entry("duration", "5s"), Map.entry("ca", ""),
            Map.entry("method", "POST"), Map.entry("body-bytes", "1"), Map.entry("max-tls", "1.3"),
            Map.entry("patience", "4s"), Map.entry("nonce", ""));

    private final Map<String, String> given = new HashMap<>(DEFAULTS);
    private boolean json;

    private CommandLine() {
    }

    /** Null after --help. */
    static Settings parse(String[] args, Set<String> variants) {
        if (List.of(args).contains("--help")) {
            Talk.print(help(variants));
            return null;
        }
        CommandLine line = new CommandLine();
        line.read(args);
        return line.settings(variants);
    }

    private static String help(Set<String> variants) {
        return "Sends requests in a closed loop, as one kind of application does.\n"
                + "  --variant NAME            " + String.join(", ", new TreeSet<>(variants)) + "\n"
                + "  --url URL                 such as https://127.0.0.1:18101/echo?ms=0\n"
                + "  --protocol h1|h2          another one negotiated is an error (h2)\n"
                + "  --concurrency N           workers that share the one client (100)\n"
                + "  --warmup D, --duration D  from an empty pool, then measured (1s, 5s)\n"
                + "  --patience D              a call that takes longer has hung (4s)\n"
                + "  --ca FILE                 PEM file of the one authority that is trusted\n"
                + "  --method M                GET, POST, PUT or PATCH (POST)\n"
                + "  --body-bytes N            (1)\n"
                + "  --max-tls 1.2|1.3         highest version offered (1.3)\n"
                + "  --nonce STRING            begins every request id\n"
                + "  --pools 1                 there is one client object\n"
                + "  --json                    wait for a newline at READY, WARM and DONE; answer with a line of JSON";
    }

    private void read(String[] args) {
        for (int i = 0; i < args.length; i++) {
            String arg = args[i];
            if (!arg.startsWith("--")) {
                throw Failed.wrongUsage("unexpected argument " + arg);
            }
            int equals = arg.indexOf('=');
            String name = arg.substring(2, equals < 0 ? arg.length() : equals);
            if (name.equals("json") && equals < 0) {
                json = true;
                continue;
            }
            if (!DEFAULTS.containsKey(name)) {
                throw Failed.wrongUsage("unknown flag --" + name);
            }
            if (equals < 0 && i + 1 == args.length) {
                throw Failed.wrongUsage("--" + name + " needs a value");
            }
            given.put(name, equals < 0 ? args[++i] : arg.substring(equals + 1));
        }
    }

    private Settings settings(Set<String> variants) {
        String variant = oneOf("variant", new TreeSet<>(variants));
        URI url = url();
        String protocol = oneOf("protocol", List.of("h1", "h2"));
        int concurrency = number("concurrency", 1, 10_000);
        number("pools", 1, 1);
        Duration warmup = duration("warmup");
        Duration length = duration("duration");
        Duration patience = duration("patience");
        String method = oneOf("method", List.of("GET", "POST", "PUT", "PATCH"));
        int bytes = number("body-bytes", 0, 1 << 20);
        String tls = oneOf("max-tls", List.of("1.2", "1.3"));
        String nonce = given.get("nonce").isEmpty() ? Long.toString(System.nanoTime(), 36) : given.get("nonce");
        if (given.get("ca").isEmpty()) {
            throw Failed.wrongUsage("--ca is required: the PEM file of the one authority that is trusted");
        }
        Path ca = Path.of(given.get("ca"));
        Trust trust = Trust.of(ca, tls);
        return new Settings(variant, url, protocol, concurrency, warmup, length, patience, method, bytes, ca, tls,
                nonce, json, trust.context, trust);
    }

    private String oneOf(String name, java.util.Collection<String> allowed) {
        String value = given.get(name);
        if (!allowed.contains(value)) {
            throw Failed.wrongUsage("--" + name + "=" + value + " is none of " + String.join(", ", allowed));
        }
        return value;
    }

    private int number(String name, int least, int most) {
        try {
            int value = Integer.parseInt(given.get(name));
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw Failed.wrongUsage("--" + name + "=" + given.get(name) + " is out of range: give "
                + (least == most ? String.valueOf(least) : "a whole number from " + least + " to " + most));
    }

    private Duration duration(String name) {
        Duration value = GoDuration.parse(given.get(name));
        if (value == null || value.isZero()) {
            throw Failed.wrongUsage("--" + name + "=" + given.get(name)
                    + " is no duration longer than nothing: give one such as 1s, 1.5s, 500ms or 1m0s");
        }
        return value;
    }

    private URI url() {
        try {
            URI url = new URI(given.get("url"));
            if ("https".equals(url.getScheme()) && url.getHost() != null) {
                return url;
            }
        } catch (java.net.URISyntaxException e) {
            // said below
        }
        throw Failed.wrongUsage("--url=" + given.get("url")
                + " is no https address: give one such as https://127.0.0.1:18101/echo?ms=0");
    }
}
