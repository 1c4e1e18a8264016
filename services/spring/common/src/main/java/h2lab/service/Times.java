package h2lab.service;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.ConcurrentHistogram;

/** Times of one kind in a window, in microseconds to three digits. */
final class Times {
    private static final long LONGEST_MICROS = 120_000_000L;
    private final ConcurrentHistogram micros = new ConcurrentHistogram(LONGEST_MICROS, 3);

    void add(long nanos) {
        micros.recordValue(Math.max(0, Math.min(nanos / 1000, LONGEST_MICROS)));
    }

    /** As facts.Latency: null where nothing was timed. It reads a copy, since calls may still end meanwhile. */
    Map<String, Object> milliseconds() {
        AbstractHistogram now = micros.copy();
        Map<String, Object> m = new LinkedHashMap<>();
        m.put("p50", at(now, 50));
        m.put("p90", at(now, 90));
        m.put("p95", at(now, 95));
        m.put("p99", at(now, 99));
        m.put("p999", at(now, 99.9));
        m.put("max", at(now, 100));
        return m;
    }

    private static Double at(AbstractHistogram times, double percentile) {
        return times.getTotalCount() == 0 ? null : Double.valueOf(times.getValueAtPercentile(percentile) / 1000.0);
    }
}
