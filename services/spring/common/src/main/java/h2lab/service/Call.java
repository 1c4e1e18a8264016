package h2lab.service;

import java.net.URI;

/**
 * A call of an upstream: the user's request, sent on.
 *
 * @param id   the user's X-Lab-Request-Id, by which the backend counts executions; may be null
 * @param type the body's Content-Type; may be null
 * @param body null without one
 */
public record Call(String method, URI url, String id, String type, byte[] body) {
    public static final String ID_HEADER = "X-Lab-Request-Id";

    /** What the upstream answered. */
    public record Reply(int status, String type, byte[] body) {
    }
}
