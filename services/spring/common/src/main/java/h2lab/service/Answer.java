package h2lab.service;

import java.nio.charset.StandardCharsets;

/** What the user gets. */
public record Answer(int status, String type, byte[] body) {
    private static final String TEXT = "text/plain;charset=UTF-8";

    public static Answer text(int status, String line) {
        return new Answer(status, TEXT, (line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    static Answer of(Call.Reply reply) {
        byte[] body = reply.body() == null ? new byte[0] : reply.body();
        return new Answer(200, reply.type() == null ? "application/octet-stream" : reply.type(), body);
    }
}
