//! The closed loop: keeps all workers busy for a time, begins no call after
//! it, and waits for the answers that are still due, but not for ever.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::Client;
use crate::flags::Flags;
use crate::tally::Tally;

/// A call that fails at once is followed by a pause, so that a client which is
/// broken for ever doesn't count millions of failures.
const AT_ONCE: Duration = Duration::from_millis(1);
const PAUSE: Duration = Duration::from_millis(10);

/// Every call is dropped when the harness's patience is over, so that a worker
/// always ends; `watch` is for a runtime that is stuck.
pub async fn window(client: &Arc<Client>, flags: &Flags, phase: &'static str, lasts: Duration) -> (Tally, Duration) {
    let began = Instant::now();
    let mut workers = JoinSet::new();
    for index in 0..flags.concurrency {
        let ids = format!("{}-{phase}-{index}", flags.nonce);
        workers.spawn(work(client.clone(), ids, began + lasts));
    }
    let mut sum = Tally::new();
    while let Some(tally) = workers.join_next().await {
        sum.merge(tally.expect("a panic ends the program"));
    }
    (sum, began.elapsed())
}

async fn work(client: Arc<Client>, ids: String, until: Instant) -> Tally {
    let mut tally = Tally::new();
    for n in 1u64.. {
        let sent = Instant::now();
        if sent >= until {
            break;
        }
        let outcome = client.call(&format!("{ids}-{n}")).await;
        let (waited, failed) = (sent.elapsed(), outcome.is_err());
        tally.count(outcome, waited);
        if failed && waited < AT_ONCE {
            tokio::time::sleep(PAUSE).await;
        }
    }
    tally
}
