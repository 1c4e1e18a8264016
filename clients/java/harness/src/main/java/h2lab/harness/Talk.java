package h2lab.harness;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The conversation with the conductor by lines; by hand there is none, and every meeting is over at once. */
final class Talk {
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    private final boolean conducted;

    Talk(boolean conducted) {
        this.conducted = conducted;
    }

    /** stdout is the conversation's alone: what a library prints there goes to stderr. */
    static void takeStdout() {
        System.setOut(System.err);
    }

    void say(String line) {
        print(line);
    }

    static void print(String text) {
        OUT.print(text + "\n");
        OUT.flush();
    }

    /** Says where the client is and waits for a newline; the end of stdin means that the conductor is gone. */
    void meet(String word) throws IOException {
        if (!conducted) {
            return;
        }
        print(word);
        for (int c = System.in.read(); c != '\n'; c = System.in.read()) {
            if (c < 0) {
                throw Failed.couldNot("stdin ended where a newline was awaited after " + word
                        + " (run it without --json to use it by hand)");
            }
        }
    }
}
