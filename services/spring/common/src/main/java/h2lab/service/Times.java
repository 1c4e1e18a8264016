package h2lab.service;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.ConcurrentHistogram;

/** Times of one kind in a window, in microseconds to three digits. */
final class Times {
    private static final long LONGEST_MICROS = 120_000_000L;
    private final ConcurrentHistogram micros = new ConcurrentHistogram(LONGEST_MICROS, 3);

    void add(long nanos) {
        micros.recordValue(Math.max(0, Math.min(nanos / 1000, LONGEST_MICROS)));
    }

    /** As facts.Latency: null where nothing was timed. */
    Map<String, Object> milliseconds() {
        Map<String, Object> m = new LinkedHashMap<>();
        m.put("p50", at(50));
        m.put("p90", at(90));
        m.put("p95", at(95));
        m.put("p99", at(99));
        m.put("p999", at(99.9));
        m.put("max", at(100));
        return m;
    }

    private Double at(double percentile) {
        return micros.getTotalCount() == 0 ? null : Double.valueOf(micros.getValueAtPercentile(percentile) / 1000.0);
    }
}
