//! The exit statuses, as everywhere in the lab.

pub enum Exit {
    CouldNot(String),
    Usage(String),
    Missing(String),
}

impl Exit {
    /// One line on stderr, and the status.
    pub fn report(self) -> i32 {
        let (status, what, message) = match self {
            Exit::CouldNot(m) => (1, "", m),
            Exit::Usage(m) => (2, "wrong usage: ", m),
            Exit::Missing(m) => (3, "missing: ", m),
        };
        eprintln!("rust-client: {what}{message}");
        status
    }
}
