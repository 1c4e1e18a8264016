package h2lab.service;

import java.net.BindException;
import java.util.Collection;

/** Starts an application, and ends with one line where it can't start. */
public final class Start {
    /** The lab waits 5 s for the end. */
    private static final long STOP_WITHIN_MS = 4_000;
    private static final int SIGTERM_STATUS = 143;

    /** An application; it returns once it listens. */
    @FunctionalInterface
    public interface Application {
        void run(Service service) throws Exception;
    }

    private Start() {
    }

    public static void main(String[] args, Collection<String> variants, Application application) {
        Arguments arguments = null;
        try {
            arguments = Arguments.parse(args, variants);
            if (arguments == null) {
                return; // --help has been answered
            }
            boundTheStop();
            application.run(new Service(arguments));
        } catch (Throwable e) {
            end(e, args.length == 0 ? "run" : args[0], arguments);
        }
    }

    /** Whatever hangs in a library at the end must not keep the process: after some seconds it is halted. */
    private static void boundTheStop() {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            Thread halt = new Thread(() -> {
                try {
                    Thread.sleep(STOP_WITHIN_MS);
                } catch (InterruptedException e) {
                    return;
                }
                Runtime.getRuntime().halt(SIGTERM_STATUS);
            });
            halt.setDaemon(true); // a daemon alone doesn't keep the JVM
            halt.start();
        }));
    }

    private static void end(Throwable thrown, String name, Arguments arguments) {
        int status = 1;
        String line = "did not start: " + Messages.of(thrown);
        for (Throwable e = thrown; e != null; e = e.getCause() == e ? null : e.getCause()) {
            if (e instanceof Failed failed) {
                status = failed.status;
                line = failed.getMessage();
                break;
            }
            if (e instanceof BindException || e.getClass().getSimpleName().equals("PortInUseException")) {
                line = cannotListen(arguments, e);
            }
        }
        System.err.println("services/spring: " + name + ": " + line);
        System.err.flush();
        Runtime.getRuntime().halt(status); // no orderly end: a half-started application has nothing to finish
    }

    private static String cannotListen(Arguments arguments, Throwable e) {
        int port = arguments.port("port");
        String why = String.valueOf(e.getMessage()).contains("denied") ? "may not be opened by this user" : "is taken";
        return "port " + port + " of 127.0.0.1 " + why + ": see who listens with `ss -ltnp 'sport = :" + port
                + "'` and end it, or give another --port";
    }
}
