package h2lab.service.gateway;

import h2lab.service.Arguments;
import h2lab.service.Failed;
import h2lab.service.Service;
import h2lab.service.Start;
import h2lab.service.Upstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.springframework.boot.SpringApplication;

/** Spring Cloud Gateway (Boot 4.0, WebFlux on Netty): TLS in front, one route, HTTP/2 over TLS to its one upstream. */
public final class Main {
    private static final String GATEWAY = "spring.cloud.gateway.server.webflux.";

    private Main() {
    }

    public static void main(String[] args) {
        Start.main(args, List.of("scg"), service -> {
            SpringApplication app = new SpringApplication(Application.class);
            Counters counters = new Counters();
            CountersServer.start(service.arguments().port("counters"), counters);
            app.addInitializers(context -> context.getBeanFactory().registerSingleton("counters", counters));
            app.run(commandLine(service));
            counters.ready();
        });
    }

    /** On the command line, since nothing in the environment may change it. */
    private static String[] commandLine(Service service) {
        Arguments arguments = service.arguments();
        service.trust(); // says so where --ca is no certificate: Spring's own message doesn't name the flag
        return List.of(
                "spring.main.banner-mode=off",
                "spring.main.log-startup-info=false",
                "server.address=127.0.0.1",
                "server.port=" + arguments.port("port"),
                "server.shutdown=immediate",
                "spring.lifecycle.timeout-per-shutdown-phase=2s",
                // TLS with both protocols by ALPN; Spring Cloud Gateway then offers HTTP/2 to its upstream too.
                "server.http2.enabled=true",
                "server.ssl.bundle=front",
                "spring.ssl.bundle.pem.front.keystore.certificate=" + url(pem(arguments, "cert", "CERTIFICATE-----")),
                "spring.ssl.bundle.pem.front.keystore.private-key=" + url(pem(arguments, "key", "PRIVATE KEY-----")),
                GATEWAY + "httpclient.ssl.trusted-x509-certificates=" + url(arguments.file("ca")),
                GATEWAY + "routes[0].id=all",
                GATEWAY + "routes[0].uri=" + backend(arguments).origin(),
                GATEWAY + "routes[0].predicates[0]=Path=/**")
                .stream().map(property -> "--" + property).toArray(String[]::new);
    }

    private static Upstream backend(Arguments arguments) {
        if (arguments.upstreams().size() != 1) {
            throw Failed.wrongUsage("--upstream is to be given once, such as --upstream backend=127.0.0.1:18443");
        }
        return arguments.upstreams().iterator().next();
    }

    /** Spring's own message names neither the flag nor the file. */
    private static Path pem(Arguments arguments, String flag, String mark) {
        Path file = arguments.file(flag);
        try {
            if (Files.readString(file).contains(mark)) {
                return file;
            }
        } catch (IOException e) {
            // said below
        }
        throw Failed.couldNot("--" + flag + " " + file + " holds no " + mark.replace("-", "") + " in PEM form:"
                + " run `make certs`");
    }

    private static String url(Path file) {
        return file.toAbsolutePath().toUri().toString();
    }
}
