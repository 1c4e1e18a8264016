package h2lab.service.web;

import h2lab.service.Answer;
import h2lab.service.Messages;
import h2lab.service.Refused;
import h2lab.service.View;
import java.util.concurrent.RejectedExecutionException;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** One line of text for what a controller throws. */
@RestControllerAdvice
public final class Problems {
    private final View view;

    Problems(View view) {
        this.view = view;
    }

    @ExceptionHandler(Refused.class)
    public ResponseEntity<byte[]> refused(Refused e) {
        return Http.response(e.answer());
    }

    /** A thread pool and its queue are full. */
    @ExceptionHandler(RejectedExecutionException.class)
    public ResponseEntity<byte[]> full(RejectedExecutionException e) {
        view.rejected();
        return Http.response(Answer.text(503, Messages.of(e)));
    }

    /** No memory for another thread; the JVM ends by itself where its heap is full. */
    @ExceptionHandler(OutOfMemoryError.class)
    public ResponseEntity<byte[]> noThread(OutOfMemoryError e) {
        view.rejected();
        return Http.response(Answer.text(503, Messages.of(e)));
    }
}
