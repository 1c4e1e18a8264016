package h2lab.systems;

import java.nio.file.Path;

/** Starts one server: Main SERVER PORT CERTIFICATE KEY N. N is the number that the server's line below names. */
public final class Main {
    private Main() {}

    /** A way to start a server, which then runs until the process ends. */
    interface Server {
        void start(int port, Path certificate, Path key, int n) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Server server =
                switch (args[0]) {
                    case "tomcat" -> Tomcat::start; // requests of a connection
                    case "jetty" -> Jetty::start; // idle seconds
                    case "undertow" -> Undertow::start; // idle seconds
                    case "reactor" -> Reactor::start; // requests of a connection
                    case "vertx" -> Vertx::start; // idle seconds
                    case "httpcore" -> HttpCore::start; // idle seconds
                    case "grpc" -> Grpc::start; // seconds of a connection's age
                    default -> throw new IllegalArgumentException("no server is called " + args[0]);
                };
        server.start(Integer.parseInt(args[1]), Path.of(args[2]), Path.of(args[3]), Integer.parseInt(args[4]));
        Thread.currentThread().join();
    }
}
