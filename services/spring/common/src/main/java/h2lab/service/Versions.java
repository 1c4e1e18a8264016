package h2lab.service;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of a library from the name of its jar: okhttp-3.4.2.jar. */
public final class Versions {
    private static final Pattern IN_NAME = Pattern.compile("-(\\d[^/]*)\\.jar$");

    private Versions() {
    }

    public static String of(Class<?> fromTheLibrary) {
        Matcher m = IN_NAME.matcher(fromTheLibrary.getProtectionDomain().getCodeSource().getLocation().getPath());
        return m.find() ? m.group(1) : "of an unknown version";
    }
}
