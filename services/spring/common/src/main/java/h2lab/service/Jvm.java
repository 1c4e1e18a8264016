package h2lab.service;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What the JVM says of itself since the last reset. */
final class Jvm {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final double MB = 1 << 20;
    private static final long SAMPLE_MS = 100;

    private volatile long largestHeap;
    private Double cpuAtReset;
    private double gcAtReset;

    Jvm() {
        reset();
        Thread sampler = new Thread(this::sample, "heap-sampler");
        sampler.setDaemon(true);
        sampler.start();
    }

    private void sample() {
        try {
            while (true) {
                largestHeap = Math.max(largestHeap, usedHeap());
                Thread.sleep(SAMPLE_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does; the JVM ends with it
        }
    }

    synchronized void reset() {
        THREADS.resetPeakThreadCount();
        largestHeap = usedHeap();
        cpuAtReset = cpuSeconds();
        gcAtReset = gcSeconds();
    }

    synchronized void read(Map<String, Object> into) {
        Double cpu = cpuSeconds();
        into.put("threads", (long) THREADS.getPeakThreadCount()); // platform threads; virtual ones aren't counted
        into.put("heap_mb", Math.max(largestHeap, usedHeap()) / MB);
        into.put("heap_max_mb", Runtime.getRuntime().maxMemory() / MB);
        into.put("cpu_s", cpu == null || cpuAtReset == null ? null : Double.valueOf(cpu - cpuAtReset));
        into.put("gc_s", gcSeconds() - gcAtReset);
    }

    private static long usedHeap() {
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static Double cpuSeconds() {
        return ProcessHandle.current().info().totalCpuDuration().map(Jvm::seconds).orElse(null);
    }

    private static Double seconds(Duration d) {
        return d.toNanos() / 1e9;
    }

    private static double gcSeconds() {
        List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
        return collectors.stream().mapToLong(c -> Math.max(0, c.getCollectionTime())).sum() / 1e3;
    }

    /** The JVM and the flags that it was started with. */
    static Map<String, String> settings() {
        List<String> flags = ManagementFactory.getRuntimeMXBean().getInputArguments();
        return Map.of("java", System.getProperty("java.vendor") + " " + System.getProperty("java.version"),
                "jvm", String.join(" ", flags.stream().filter(f -> !f.startsWith("-XX:OnOutOfMemoryError")).toList()),
                "processors", String.valueOf(Runtime.getRuntime().availableProcessors()));
    }
}
