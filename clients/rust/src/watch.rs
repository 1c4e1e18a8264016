//! The hard stop, for a runtime that is stuck and heeds no timer.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::exit::Exit;

/// How much later than the last call's patience.
const GRACE: Duration = Duration::from_secs(5);

/// Ends the program when what it returns outlives a window.
pub fn over(window: Duration) -> Sender<()> {
    let (alive, gone) = channel();
    std::thread::spawn(move || {
        if gone.recv_timeout(window + GRACE) == Err(RecvTimeoutError::Timeout) {
            let late = format!("a window of {window:?} did not end");
            std::process::exit(Exit::CouldNot(late).report());
        }
    });
    alive
}
