package h2lab.service;

import java.util.List;
import java.util.Locale;

/**
 * Refuses requests that a web page in a browser on this machine makes: the rule of internal/base/loopback.
 * A browser names the page in Host (a rebound name), Origin (Fetch Standard) or Sec-Fetch-Site (W3C Fetch Metadata).
 */
public final class Loopback {
    private static final List<String> NAMES = List.of("127.0.0.1", "localhost", "[::1]");

    private Loopback() {
    }

    /** A request's headers; null or an empty list for one that is absent. */
    public interface Headers {
        List<String> values(String name);

        private String first(String name) {
            List<String> values = values(name);
            return values == null || values.isEmpty() ? "" : values.get(0);
        }

        private List<String> all(String name) {
            List<String> values = values(name);
            return values == null ? List.of() : values;
        }
    }

    /** Why a request is refused, or null. */
    public static String refusal(int port, String method, Headers headers) {
        String host = headers.first("Host");
        int colon = host.lastIndexOf(':');
        String name = colon < 0 ? "" : host.substring(0, colon).toLowerCase(Locale.ROOT);
        if (!NAMES.contains(name) || !host.substring(colon + 1).equals(String.valueOf(port))) {
            return "this Host is refused: use http://127.0.0.1:" + port;
        }
        for (String origin : headers.all("Origin")) {
            if (!origin.equalsIgnoreCase("http://" + host)) {
                return "a page of another origin is refused: only pages of this server may ask it (Origin)";
            }
        }
        for (String site : headers.all("Sec-Fetch-Site")) {
            if (!site.equals("none") && !site.equals("same-origin") && !followsLink(method, headers)) {
                return "a request that a page of another origin makes is refused (Sec-Fetch-Site)";
            }
        }
        return null;
    }

    /** A person who followed a link: the answer then replaces the other page, which can't read it. */
    private static boolean followsLink(String method, Headers headers) {
        return method.equals("GET") && headers.first("Sec-Fetch-Mode").equals("navigate")
                && headers.first("Sec-Fetch-Dest").equals("document");
    }
}
