package h2lab.harness;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One of the requests in flight, again and again, on a platform thread of its own. A call that hangs
 * keeps its thread, since it can't be taken from it; the watchdog counts it and a new thread goes on.
 */
final class Worker {
    /** A failure this quick is one without the network: without a pause a broken client would fail millions of times. */
    private static final long AT_ONCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PAUSE_MILLIS = 10;

    /** A call on its way; whoever takes it from {@link #current} settles it. */
    private static final class Call {
        final String id;
        final Thread thread = Thread.currentThread();
        final long began = System.nanoTime();
        volatile CompletableFuture<Reply> future;

        Call(String id) {
            this.id = id;
        }
    }

    final Tally tally = new Tally();
    private final Window window;
    private final int index;
    private final AtomicReference<Call> current = new AtomicReference<>();
    private long sent;

    Worker(Window window, int index) {
        this.window = window;
        this.index = index;
    }

    void start() {
        Thread t = new Thread(this::work, "worker-" + index);
        t.setDaemon(true);
        t.start();
    }

    private void work() {
        while (window.open()) {
            Call call = new Call(window.settings.nonce() + "-" + window.phase + "-" + index + "-" + ++sent);
            current.set(call);
            Tally.Failure failure = attempt(call);
            long took = System.nanoTime() - call.began;
            if (!current.compareAndSet(call, null)) {
                return; // it was given up, and another thread goes on in this one's place
            }
            if (failure == null) {
                tally.success(took);
            } else {
                tally.failure(failure);
                rest(took);
            }
        }
        window.workerIsDone();
    }

    private Tally.Failure attempt(Call call) {
        try {
            call.future = window.subject.send(call.id, window.body);
            return judge(call.future.get());
        } catch (Throwable e) {
            return new Tally.Failure("transport", Messages.of(e), false);
        }
    }

    private Tally.Failure judge(Reply reply) {
        if (reply.protocol() != null && !reply.protocol().equals(window.settings.protocol())) {
            window.fatal = Failed.couldNot(window.settings.protocol() + " was asked for, but " + window.settings.url()
                    + " answered with " + reply.protocol() + ": see whether it offers the protocol by ALPN");
        }
        if (reply.status() < 200 || reply.status() > 299) {
            return new Tally.Failure("status", "HTTP status " + reply.status(), false);
        }
        if (window.echo && !Arrays.equals(reply.body(), window.body)) {
            return new Tally.Failure("transport", "the answer is not the body that was sent: " + window.body.length
                    + " bytes sent, " + reply.body().length + " received", false);
        }
        return null;
    }

    private static void rest(long took) {
        if (took < AT_ONCE_NANOS) {
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                // a left-over of a cancelled call
            }
        }
    }

    /** The watchdog's: a call that began before {@code latest} has hung. */
    void giveUpIfOlderThan(long latest) {
        Call call = current.get();
        if (call == null || call.began - latest > 0 || !current.compareAndSet(call, null)) {
            return;
        }
        String says = window.subject.saysOfHung(call.id);
        tally.failure(new Tally.Failure("transport", "no answer within " + GoDuration.print(window.settings.patience())
                + " (the call never settled)" + (says.isEmpty() ? "" : ": " + Messages.oneLine(says)), true));
        cancel(call);
        start();
    }

    private void cancel(Call call) {
        Thread t = new Thread(() -> {
            window.subject.cancelled(call.id);
            CompletableFuture<Reply> future = call.future;
            if (future != null) {
                future.cancel(true);
            }
            call.thread.interrupt();
        }, "cancels-" + call.id);
        t.setDaemon(true); // cancelling may hang as well
        t.start();
    }
}
