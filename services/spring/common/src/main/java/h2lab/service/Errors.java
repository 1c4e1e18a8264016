package h2lab.service;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The failures of a window, grouped by their messages without the numbers in them. */
final class Errors {
    private static final int MOST_GROUPS = 49; // and one for the rest
    private static final String REST = "more kinds of failures than this list holds";

    private record Group(String message, long[] count) {
    }

    private final Map<String, Group> groups = new LinkedHashMap<>();

    synchronized void add(String message) {
        String kind = Messages.kind(message);
        boolean known = groups.containsKey(kind) || groups.size() < MOST_GROUPS;
        groups.computeIfAbsent(known ? kind : REST, k -> new Group(known ? message : REST, new long[1])).count[0]++;
    }

    /** As facts.Error, the largest group first; the lab fills the class in. */
    synchronized List<Map<String, Object>> largestFirst() {
        List<Group> sorted = new ArrayList<>(groups.values());
        sorted.sort(Comparator.comparingLong(g -> -g.count[0]));
        List<Map<String, Object>> all = new ArrayList<>();
        for (Group g : sorted) {
            Map<String, Object> m = new LinkedHashMap<>();
            m.put("class", "");
            m.put("count", g.count[0]);
            m.put("message", g.message);
            all.add(m);
        }
        return all;
    }
}
