package h2lab.harness;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Keeps all workers busy for a time, sends nothing new after it, and waits for the answers that are due. */
final class Window {
    /** How often the watchdog looks; a hung call is noticed at most this late. */
    private static final long LOOK_MILLIS = 20;

    final Settings settings;
    final Subject subject;
    final String phase;
    final byte[] body;
    final boolean echo;
    long deadline;
    volatile Failed fatal;
    private CountDownLatch working;

    Window(Settings settings, Subject subject, String phase) {
        this.settings = settings;
        this.subject = subject;
        this.phase = phase;
        body = new byte[settings.sendsBody() ? settings.bodyBytes() : 0];
        java.util.Arrays.fill(body, (byte) '1');
        echo = settings.sendsBody() && settings.url().getPath().contains("/echo");
    }

    Tally run(Duration length) throws InterruptedException {
        working = new CountDownLatch(settings.concurrency());
        Worker[] workers = new Worker[settings.concurrency()];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(this, i);
        }
        long began = System.nanoTime();
        deadline = began + length.toNanos();
        long over = deadline + settings.patience().toNanos() + TimeUnit.SECONDS.toNanos(1);
        for (Worker w : workers) {
            w.start();
        }
        while (!working.await(LOOK_MILLIS, TimeUnit.MILLISECONDS) && fatal == null && System.nanoTime() < over) {
            long latest = System.nanoTime() - settings.patience().toNanos();
            for (Worker w : workers) {
                w.giveUpIfOlderThan(latest);
            }
        }
        if (fatal != null) {
            throw fatal;
        }
        Tally all = new Tally();
        all.elapsedSeconds = (System.nanoTime() - began) / 1e9;
        for (Worker w : workers) {
            all.merge(w.tally);
        }
        return all;
    }

    boolean open() {
        return System.nanoTime() - deadline < 0 && fatal == null;
    }

    void workerIsDone() {
        working.countDown();
    }
}
