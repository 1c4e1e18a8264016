package h2lab.harness;

/** An answer, read to its end. protocol is "h1" or "h2", or null where the library can't tell. */
public record Reply(int status, byte[] body, String protocol) {

    /** A protocol's name in the words of ALPN and of the libraries, as the lab says it. */
    public static String protocol(Object name) {
        String n = String.valueOf(name).toLowerCase(java.util.Locale.ROOT);
        if (n.equals("h2") || n.startsWith("http/2") || n.startsWith("http_2") || n.equals("2.0")) {
            return "h2";
        }
        if (n.equals("h1") || n.startsWith("http/1") || n.startsWith("http_1") || n.equals("1.1")) {
            return "h1";
        }
        return null;
    }
}
