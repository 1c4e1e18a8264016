package h2lab.service;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A TLS front that the service calls, as --upstream names it: nginx-1000-envoy=127.0.0.1:18141. */
public record Upstream(String name, String host, int port) {
    private static final Pattern FORM = Pattern.compile("([a-z0-9][a-z0-9.-]*)=([A-Za-z0-9.-]+):(\\d{1,5})");

    static Upstream parse(String text) {
        Matcher m = FORM.matcher(text);
        int port = m.matches() ? Integer.parseInt(m.group(3)) : 0;
        if (port < 1 || port > 65535) {
            throw Failed.wrongUsage("--upstream " + text
                    + " is malformed: give NAME=HOST:PORT such as nginx-1000=127.0.0.1:18101");
        }
        return new Upstream(m.group(1), m.group(2), port);
    }

    public String origin() {
        return "https://" + host + ":" + port;
    }
}
