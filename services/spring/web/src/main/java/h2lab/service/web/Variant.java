package h2lab.service.web;

import h2lab.service.Service;
import java.util.List;
import java.util.function.Function;

/**
 * One row of client.json.
 *
 * @param controller makes the controller that serves the row's requests
 * @param properties further settings of Spring Boot, as on its command line without the dashes
 */
public record Variant(Function<Service, Object> controller, List<String> properties) {

    /** threads is stated in the report: who waits for an answer. */
    public static Variant of(String threads, Function<Service, Object> controller, String... properties) {
        Function<Service, Object> stating = service -> {
            service.view().state("threads", threads);
            return controller.apply(service);
        };
        return new Variant(stating, List.of(properties));
    }
}
