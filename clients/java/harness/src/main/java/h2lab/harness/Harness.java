package h2lab.harness;

import java.util.Map;

/** The program around a {@link Subject}: command line, conversation, windows, answer. */
public final class Harness {

    /** Sets a client library up; {@code Function<Settings, Subject>}, but it may throw. */
    @FunctionalInterface
    public interface Maker {
        Subject make(Settings settings) throws Exception;
    }

    private Harness() {
    }

    /** Runs the variant that the command line names, and ends the process. */
    public static void main(String[] args, Map<String, Maker> variants) {
        Talk.takeStdout();
        Quiet.logs();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            System.err.print("uncaught in " + thread.getName() + ": ");
            thrown.printStackTrace();
            end(Failed.COULD_NOT);
        });
        int status = 0;
        try {
            run(args, variants);
        } catch (Failed e) {
            System.err.println(e.getMessage());
            status = e.status;
        } catch (Throwable e) {
            e.printStackTrace();
            status = Failed.COULD_NOT;
        }
        end(status);
    }

    /** No orderly end: whatever hangs in the library must not keep the process alive. */
    private static void end(int status) {
        System.err.flush();
        Runtime.getRuntime().halt(status);
    }

    private static void run(String[] args, Map<String, Maker> variants) throws Exception {
        Settings settings = CommandLine.parse(args, variants.keySet());
        if (settings == null) {
            return; // --help has been answered
        }
        Talk talk = new Talk(settings.json());
        Subject subject = variants.get(settings.variant()).make(settings);
        talk.meet("READY");
        Tally warm = new Window(settings, subject, "warm").run(settings.warmup());
        warm.needSuccess();
        talk.meet("WARM");
        Meter before = Meter.of(subject);
        Tally window = new Window(settings, subject, "run").run(settings.duration());
        Meter after = Meter.of(subject);
        talk.meet("DONE");
        Answer answer = new Answer(warm, window, before, after, subject.library());
        talk.say(settings.json() ? answer.json() : answer.text(settings.variant()));
    }
}
