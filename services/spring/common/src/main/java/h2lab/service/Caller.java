package h2lab.service;

import java.util.concurrent.CompletionStage;

/** How a variant calls its upstream: the one thing in which the forwarders differ, apart from their threads. */
@FunctionalInterface
public interface Caller {
    Call.Reply call(Call call) throws Exception;

    /** The same for a library that doesn't block. */
    @FunctionalInterface
    interface Async {
        CompletionStage<Call.Reply> call(Call call);
    }
}
