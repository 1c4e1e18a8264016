package h2lab.harness;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of a library from the name of the jar that its class came from: okhttp-4.12.0.jar. */
public final class Versions {
    private static final Pattern IN_NAME = Pattern.compile("-(\\d[^/]*)\\.jar$");

    private Versions() {
    }

    public static String of(Class<?> fromTheLibrary) {
        String jar = fromTheLibrary.getProtectionDomain().getCodeSource().getLocation().getPath();
        Matcher m = IN_NAME.matcher(jar);
        return m.find() ? m.group(1) : "";
    }
}
