//! The conversation with the conductor. By hand there is none, and every
//! meeting is over at once.

use std::io::{BufRead, Write};

use crate::exit::Exit;

pub struct Talk {
    pub conducted: bool,
}

impl Talk {
    /// Says where the client is and waits for a newline. An end of the input
    /// means that the conductor is gone, and so is the reason to go on.
    pub fn meet(&self, word: &str) -> Result<(), Exit> {
        if !self.conducted {
            return Ok(());
        }
        say(word)?;
        let mut line = String::new();
        match std::io::stdin().lock().read_line(&mut line) {
            Ok(_) if line.ends_with('\n') => Ok(()),
            Ok(_) => Err(Exit::CouldNot(format!("stdin ended at {word}; run it without --json by hand"))),
            Err(e) => Err(Exit::CouldNot(format!("waiting for a newline after {word}: {e}"))),
        }
    }
}

/// Writes a line to stdout at once.
pub fn say(line: &str) -> Result<(), Exit> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|e| Exit::CouldNot(format!("writing to stdout: {e}")))
}
