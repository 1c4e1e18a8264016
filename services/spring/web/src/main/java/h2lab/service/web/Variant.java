package h2lab.service.web;

import h2lab.service.Service;
import java.util.List;
import java.util.function.Function;

/**
 * One row of client.json.
 *
 * @param controllers makes the controllers that serve the row's requests
 * @param properties further settings of Spring Boot, as on its command line without the dashes
 */
public record Variant(Function<Service, List<Object>> controllers, List<String> properties) {

    /** threads is stated in the report: who waits for an answer. */
    public static Variant of(String threads, Function<Service, Object> controller, String... properties) {
        return all(threads, service -> List.of(controller.apply(service)), properties);
    }

    /** A server has two controllers: one waits itself, the other waits for a call. */
    public static Variant all(String threads, Function<Service, List<Object>> controllers, String... properties) {
        Function<Service, List<Object>> stating = service -> {
            service.view().state("threads", threads);
            return controllers.apply(service);
        };
        return new Variant(stating, List.of(properties));
    }
}
