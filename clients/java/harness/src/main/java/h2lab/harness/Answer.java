package h2lab.harness;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A window's account, as the line of JSON that every client program of the lab ends with. */
final class Answer {
    private final Map<String, Object> fields = new LinkedHashMap<>();
    private final Tally window;

    Answer(Tally warm, Tally window, Meter before, Meter after, String library) {
        this.window = window;
        fields.put("attempts", window.attempts);
        fields.put("succeeded", window.succeeded);
        fields.put("failed", window.attempts - window.succeeded);
        fields.put("warmup_requests", warm.attempts);
        fields.put("elapsed_s", window.elapsedSeconds);
        fields.put("failures", failures());
        fields.put("latency_ms", latency());
        fields.put("dialled", Meter.between(before.dialled(), after.dialled()));
        fields.put("client_reported", Meter.between(before.reported(), after.reported()));
        fields.put("tls", map("version", after.tls(), "resumed", null));
        fields.put("hung", window.hung);
        fields.put("library", library);
        fields.put("runtime", "OpenJDK " + System.getProperty("java.version"));
    }

    private List<Object> failures() {
        List<Object> all = new ArrayList<>();
        for (Tally.Group g : window.largestFirst()) {
            Map<String, Object> m = map("message", g.message, "count", g.count);
            m.put("kind", g.kind);
            all.add(m);
        }
        return all;
    }

    private Map<String, Object> latency() {
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
        return window.succeeded == 0 ? null : Double.valueOf(window.micros.getValueAtPercentile(percentile) / 1000.0);
    }

    private static Map<String, Object> map(String k1, Object v1, String k2, Object v2) {
        Map<String, Object> m = new LinkedHashMap<>();
        m.put(k1, v1);
        m.put(k2, v2);
        return m;
    }

    String json() {
        return Json.write(fields);
    }

    /** The same for a reader at a terminal. */
    String text(String variant) {
        StringBuilder s = new StringBuilder(String.format("%s (%s): %d succeeded, %d failed (%d hung) in %.2f s: %.0f requests/s%n",
                variant, fields.get("library"), window.succeeded, window.attempts - window.succeeded, window.hung,
                window.elapsedSeconds, window.succeeded / window.elapsedSeconds));
        s.append("  latency ms: ").append(latency()).append('\n');
        s.append("  connections dialled in the window: ").append(fields.get("dialled")).append(", ").append(fields.get("tls"));
        for (Tally.Group g : window.largestFirst()) {
            s.append("\n  ").append(g.count).append(" × ").append(g.message);
        }
        return s.toString();
    }
}
