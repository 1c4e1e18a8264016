package h2lab.harness;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go prints them: 1s, 1.5s, 500ms, 1m0s. */
final class GoDuration {
    private static final Map<String, Long> NANOS = Map.of("ns", 1L, "us", 1_000L, "µs", 1_000L, "ms", 1_000_000L,
            "s", 1_000_000_000L, "m", 60_000_000_000L, "h", 3_600_000_000_000L);
    private static final Pattern PART = Pattern.compile("\\G(\\d+(?:\\.\\d+)?)(ns|us|µs|ms|s|m|h)");

    private GoDuration() {
    }

    /** Null for anything else. */
    static Duration parse(String text) {
        Matcher part = PART.matcher(text);
        BigDecimal nanos = BigDecimal.ZERO;
        int end = 0;
        while (part.find()) {
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(NANOS.get(part.group(2)))));
            end = part.end();
        }
        boolean whole = end == text.length() && end > 0 && text.length() < 30;
        return whole && nanos.compareTo(BigDecimal.valueOf(Duration.ofHours(1).toNanos())) <= 0
                ? Duration.ofNanos(nanos.longValue()) : null;
    }

    /** As Go would print it, for messages: 4s, 1.5s, 300ms. */
    static String print(Duration d) {
        if (d.toNanos() % 1_000_000_000L == 0 && d.toSeconds() < 60) {
            return d.toSeconds() + "s";
        }
        return d.toMillis() < 1000 ? d.toMillis() + "ms"
                : BigDecimal.valueOf(d.toMillis(), 3).stripTrailingZeros().toPlainString() + "s";
    }
}
