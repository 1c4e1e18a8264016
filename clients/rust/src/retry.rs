//! What an application can do around a call that a GOAWAY has ended.

use std::error::Error;
use std::future::Future;

pub type BoxError = Box<dyn Error + Send + Sync>;

// RFC 9113 8.7: a server did not process what is above a GOAWAY's last id, and any
// method may be sent again. h2 gives this error only to such streams (Streams::recv_go_away);
// those up to it, which may have been processed, end with an I/O error instead.
// snippet:unprocessed
// For a client with http2_only(true) (hyper-util) or http2_prior_knowledge() (reqwest).
fn unprocessed(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |&e| e.source()).filter_map(|e| e.downcast_ref::<h2::Error>());
    causes.any(|e| e.is_remote() && (e.is_go_away() || e.reason() == Some(h2::Reason::REFUSED_STREAM)))
}
pub async fn again<T, F: Future<Output = Result<T, BoxError>>>(call: impl Fn() -> F) -> Result<T, BoxError> {
    let (mut answer, mut left) = (call().await, 4); // call makes the request and its body anew
    while left > 0 && answer.as_ref().is_err_and(|e| unprocessed(&**e)) {
        (answer, left) = (call().await, left - 1);
    }
    answer
}
// snippet:end

/// The same rule for reqwest's own retries, which would else stop after two.
pub fn policy(builder: reqwest::ClientBuilder, host: &'static str) -> reqwest::ClientBuilder {
    // snippet:policy
    let again = reqwest::retry::for_host(host) // replaces reqwest's own policy
        .max_retries_per_request(5)
        .no_budget() // else at most 20 % more requests
        .classify_fn(|attempt| match attempt.error() {
            Some(e) if unprocessed(e) => attempt.retryable(), // a GOAWAY or REFUSED_STREAM
            _ => attempt.success(),
        });
    builder.http2_prior_knowledge().retry(again)
    // snippet:end
}

/// The whole chain of causes: the message at its top is always the same.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let causes: Vec<_> = std::iter::successors(Some(error), |&e| e.source()).map(|e| e.to_string()).collect();
    causes.join(": ").replace(['\n', '\r'], " ")
}
