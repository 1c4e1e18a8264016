package h2lab.systems;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;

/** Tomcat; its maxKeepAliveRequests is about HTTP/1.1. */
final class Tomcat {
    private Tomcat() {}

    static void start(int port, Path certificate, Path key, int requests) throws Exception {
        var host = new SSLHostConfig();
        var pair = new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.EC);
        pair.setCertificateFile(certificate.toString());
        pair.setCertificateKeyFile(key.toString());
        host.addCertificate(pair);
        var connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setPort(port);
        connector.setProperty("address", "127.0.0.1");
        connector.setScheme("https");
        connector.setSecure(true);
        var protocol = (Http11NioProtocol) connector.getProtocolHandler();
        protocol.setSSLEnabled(true);
        protocol.addSslHostConfig(host);
        protocol.setMaxKeepAliveRequests(requests);
        connector.addUpgradeProtocol(new Http2Protocol());

        var tomcat = new org.apache.catalina.startup.Tomcat();
        tomcat.setBaseDir(java.nio.file.Files.createTempDirectory(certificate.getParent(), "tomcat").toString());
        tomcat.getService().addConnector(connector);
        tomcat.setConnector(connector);
        var context = tomcat.addContext("", null);
        org.apache.catalina.startup.Tomcat.addServlet(context, "ok", new Answer());
        context.addServletMappingDecoded("/", "ok");
        tomcat.start();
    }

    /** Answers every request. */
    private static final class Answer extends HttpServlet {
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getOutputStream().write("ok\n".getBytes());
        }
    }
}
