package h2lab.service.web;

import h2lab.service.Service;
import h2lab.service.Start;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;

/** Runs a variant as a Spring Boot application. Compiled against Boot 2.7, run with 2.7 and 3.5. */
public final class Boot {
    private Boot() {
    }

    public static void main(String[] args, Map<String, Variant> variants, Class<?> application) {
        Start.main(args, variants.keySet(), service -> {
            Variant variant = variants.get(service.arguments().variant());
            List<Object> controllers = variant.controllers().apply(service);
            SpringApplication app = new SpringApplication(application);
            app.addInitializers(context -> register(context.getBeanFactory(), service, controllers));
            Package boot = SpringApplication.class.getPackage();
            service.view().state("spring", "Spring Boot " + boot.getImplementationVersion());
            app.run(commandLine(service, variant));
        });
    }

    private static void register(ConfigurableListableBeanFactory beans, Service service,
            List<Object> controllers) {
        beans.registerSingleton("service", service);
        beans.registerSingleton("view", service.view());
        beans.registerSingleton("lab", new Lab(service.view()));
        beans.registerSingleton("problems", new Problems(service.view()));
        for (int i = 0; i < controllers.size(); i++) {
            beans.registerSingleton("controller" + i, controllers.get(i));
        }
    }

    /** On the command line, since nothing in the environment may change it. */
    private static String[] commandLine(Service service, Variant variant) {
        List<String> all = new ArrayList<>(List.of(
                "spring.main.banner-mode=off",
                "spring.main.log-startup-info=false",
                "server.address=127.0.0.1",
                "server.port=" + service.arguments().port("port"),
                // Graceful by default since Boot 3.4, and then for up to 30 s; the lab waits 5.
                "server.shutdown=immediate",
                "spring.lifecycle.timeout-per-shutdown-phase=2s",
                // The backend's own limit of a body is 1 MB; WebFlux buffers 256 KB by default.
                "spring.codec.max-in-memory-size=2MB",
                // 100 by default: Tomcat would close the users' connections; the lab watches those behind it.
                "server.tomcat.max-keep-alive-requests=-1",
                // 8192 and 100 by default, so a burst of 10,000 would wait in the kernel and not in the service.
                "server.tomcat.max-connections=20000",
                "server.tomcat.accept-count=4096"));
        all.addAll(variant.properties());
        return all.stream().map(property -> "--" + property).toArray(String[]::new);
    }
}
