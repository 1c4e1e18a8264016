package h2lab.service.boot2;

import h2lab.service.Loopback;
import h2lab.service.Service;
import java.io.IOException;
import java.util.Collections;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Spring MVC on Tomcat. */
@SpringBootConfiguration
@EnableAutoConfiguration
public class Application {

    @Bean
    Filter onlyThisMachine(Service service) {
        int port = service.arguments().port("port");
        return (request, response, chain) -> filter(port, request, response, chain);
    }

    private static void filter(int port, ServletRequest in, ServletResponse out, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest request = (HttpServletRequest) in;
        String refusal =
                Loopback.refusal(port, request.getMethod(), name -> Collections.list(request.getHeaders(name)));
        if (refusal == null) {
            chain.doFilter(in, out);
            return;
        }
        ((HttpServletResponse) out).setStatus(HttpServletResponse.SC_FORBIDDEN);
        out.setContentType("text/plain;charset=UTF-8");
        out.getWriter().println(refusal);
    }
}
