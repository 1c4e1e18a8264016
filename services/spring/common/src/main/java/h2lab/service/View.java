package h2lab.service;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What the service sees of its own requests and calls: facts.ServiceView, since the last reset. */
public final class View {

    private static final class Window {
        final LongAdder requests = new LongAdder();
        final LongAdder rejected = new LongAdder();
        final LongAdder succeeded = new LongAdder();
        final Times call = new Times();
        final Times failed = new Times();
        final Times row = new Times();
        final Errors errors = new Errors();
    }

    private final Map<String, String> settings = new ConcurrentSkipListMap<>(Jvm.settings());
    private final Jvm jvm = new Jvm();
    private volatile Window window = new Window();

    /** States a setting that the report shows. */
    public void state(String name, Object value) {
        settings.put(name, String.valueOf(value));
    }

    public void reset() {
        jvm.reset();
        window = new Window();
    }

    public void request() {
        window.requests.increment();
    }

    /** A request that was refused without a call. */
    public void rejected() {
        window.rejected.increment();
    }

    void row(long nanos) {
        window.row.add(nanos);
    }

    void succeeded(long nanos) {
        Window now = window;
        now.succeeded.increment();
        now.call.add(nanos);
    }

    void failed(long nanos, String message) {
        Window now = window;
        now.errors.add(message);
        now.failed.add(nanos);
    }

    public Map<String, Object> read() {
        Window now = window;
        long succeeded = now.succeeded.sum();
        List<Map<String, Object>> errors = now.errors.largestFirst(); // once: calls may still end meanwhile
        long failed = errors.stream().mapToLong(e -> (long) e.get("count")).sum();
        Map<String, Object> m = new LinkedHashMap<>();
        m.put("requests", now.requests.sum());
        m.put("rejected", now.rejected.sum());
        m.put("calls", succeeded + failed);
        m.put("succeeded", succeeded);
        m.put("failed", failed);
        m.put("errors", errors);
        m.put("call_ms", now.call.milliseconds());
        m.put("failed_ms", now.failed.milliseconds());
        m.put("row_ms", now.row.milliseconds());
        jvm.read(m);
        m.put("settings", new LinkedHashMap<>(settings));
        return m;
    }
}
