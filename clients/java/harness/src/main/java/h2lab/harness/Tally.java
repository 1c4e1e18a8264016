package h2lab.harness;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.HdrHistogram.IntCountsHistogram;

/** What one worker, or a whole window, counted. */
final class Tally {
    private static final int MOST_GROUPS = 49; // and one for the rest
    private static final long MOST_MICROS = 120_000_000L;
    /** What differs between messages of one kind: ports, stream numbers, ids of objects. */
    private static final Pattern VARYING = Pattern.compile("@[0-9a-f]+|\\b[0-9a-f]{8}(-[0-9a-f]+)*\\b|\\d+");

    /** Why a call is not a success. kind is "transport" or "status". */
    record Failure(String kind, String message, boolean hung) {
    }

    static final class Group {
        final String kind;
        final String message;
        long count;

        Group(String kind, String message, long count) {
            this.kind = kind;
            this.message = message;
            this.count = count;
        }
    }

    final IntCountsHistogram micros = new IntCountsHistogram(MOST_MICROS, 3);
    final Map<String, Group> groups = new LinkedHashMap<>();
    long attempts;
    long succeeded;
    long hung;
    double elapsedSeconds;

    void success(long nanos) {
        attempts++;
        succeeded++;
        micros.recordValue(Math.min(nanos / 1000, MOST_MICROS));
    }

    void failure(Failure f) {
        attempts++;
        if (f.hung()) {
            hung++;
        }
        add(f.kind() + " " + VARYING.matcher(f.message()).replaceAll("#"), new Group(f.kind(), f.message(), 1));
    }

    private void add(String key, Group g) {
        Group known = groups.get(key);
        if (known == null && groups.size() >= MOST_GROUPS) {
            key = "further";
            known = groups.get(key);
            g = new Group("transport", "further messages, beyond the " + MOST_GROUPS + " kinds that are kept", g.count);
        }
        if (known == null) {
            groups.put(key, g);
        } else {
            known.count += g.count;
        }
    }

    void merge(Tally from) {
        attempts += from.attempts;
        succeeded += from.succeeded;
        hung += from.hung;
        micros.add(from.micros);
        from.groups.forEach((key, g) -> add(key, new Group(g.kind, g.message, g.count)));
    }

    List<Group> largestFirst() {
        List<Group> all = new ArrayList<>(groups.values());
        all.sort(Comparator.comparingLong(g -> -g.count));
        return all;
    }

    /** Refuses to measure where nothing works. */
    void needSuccess() {
        if (succeeded == 0) {
            throw Failed.couldNot("no request of the warm-up succeeded (" + attempts + " attempts)"
                    + (groups.isEmpty() ? "" : ": " + groups.values().iterator().next().message));
        }
    }
}
