//! Sends requests in a closed loop over reqwest or hyper-util, as one kind of
//! application does: warm up, agree, measure, agree, answer.

mod answer;
mod client;
mod dials;
mod exit;
mod flags;
mod over_hyper;
mod over_reqwest;
mod retry;
mod talk;
mod tally;
mod tls;
mod variant;
mod watch;
mod window;

use std::sync::Arc;

use answer::{Answer, Connections, Tls};
use client::Client;
use exit::Exit;
use flags::Flags;
use talk::{Talk, say};

fn main() {
    let status = match Flags::parse().and_then(run) {
        Ok(()) => 0,
        Err(e) => e.report(),
    };
    std::process::exit(status); // whatever still runs in the background
}

fn run(flags: Flags) -> Result<(), Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|e| Exit::CouldNot(format!("starting tokio: {e}")))?;
    let client = Arc::new(Client::new(flags.clone())?);
    let talk = Talk { conducted: flags.json };

    talk.meet("READY")?;
    let stuck = watch::over(flags.warmup + flags.patience);
    let (warm, _) = runtime.block_on(window::window(&client, &flags, "warm", flags.warmup));
    drop(stuck);
    if warm.succeeded == 0 {
        let first = warm.groups().into_iter().next().map(|g| g.message).unwrap_or_default();
        return Err(Exit::CouldNot(format!("no request of the warm-up succeeded ({} attempts): {first}", warm.attempts())));
    }
    talk.meet("WARM")?;
    let stuck = watch::over(flags.duration + flags.patience);
    let (dialled, resumed) = (client.dials.count(), client.handshakes.resumed());
    let (tally, elapsed) = runtime.block_on(window::window(&client, &flags, "run", flags.duration));
    drop(stuck);
    talk.meet("DONE")?;
    let connections = Connections {
        dialled: client.dials.count() - dialled,
        tls: Tls { version: client.handshakes.version(), resumed: Some(client.handshakes.resumed() - resumed) },
    };
    let answer = Answer::new(warm.attempts(), &tally, elapsed, connections, client.library());
    say(&if flags.json { answer.json() } else { answer.text() })
}
