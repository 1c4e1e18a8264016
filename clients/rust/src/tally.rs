//! What one worker, or a whole window, counted.

use std::collections::HashMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Bounds the kinds of failure that are kept apart.
const MOST_GROUPS: usize = 50;
const LONGEST_US: u64 = 120_000_000;

/// Why a call is no success.
pub struct Failure {
    pub kind: &'static str,
    pub message: String,
    pub hung: bool,
}

impl Failure {
    pub fn transport(message: String) -> Self {
        Self { kind: "transport", message, hung: false }
    }

    pub fn status(message: String) -> Self {
        Self { kind: "status", message, hung: false }
    }

    pub fn hung(patience: Duration) -> Self {
        let message = format!("no answer within {patience:?} (the call never settled)");
        Self { kind: "transport", message, hung: true }
    }
}

/// One kind of failure, with its first message.
#[derive(Clone, Serialize)]
pub struct Group {
    pub message: String,
    pub count: u64,
    pub kind: &'static str,
}

pub struct Tally {
    pub succeeded: u64,
    pub failed: u64,
    pub hung: u64,
    pub latency: Histogram<u64>, // µs, successes only
    groups: HashMap<String, Group>,
}

impl Tally {
    pub fn new() -> Self {
        let latency = Histogram::new_with_bounds(1, LONGEST_US, 3).expect("constant bounds");
        Self { succeeded: 0, failed: 0, hung: 0, latency, groups: HashMap::new() }
    }

    pub fn count(&mut self, outcome: Result<(), Failure>, waited: Duration) {
        let Err(f) = outcome else {
            self.succeeded += 1;
            self.latency.saturating_record(waited.as_micros() as u64);
            return;
        };
        self.failed += 1;
        self.hung += u64::from(f.hung);
        let key = format!("{} {}", f.kind, without_numbers(&f.message));
        self.add(key, Group { message: f.message, count: 1, kind: f.kind });
    }

    pub fn attempts(&self) -> u64 {
        self.succeeded + self.failed
    }

    pub fn merge(&mut self, other: Tally) {
        self.succeeded += other.succeeded;
        self.failed += other.failed;
        self.hung += other.hung;
        self.latency.add(&other.latency).expect("the same bounds");
        for (key, group) in other.groups {
            self.add(key, group);
        }
    }

    /// The groups, the most frequent first.
    pub fn groups(&self) -> Vec<Group> {
        let mut all: Vec<_> = self.groups.values().cloned().collect();
        all.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.message.cmp(&b.message)));
        all
    }

    fn add(&mut self, mut key: String, mut group: Group) {
        if !self.groups.contains_key(&key) && self.groups.len() >= MOST_GROUPS - 1 {
            key = "further".into();
            group.kind = "transport";
            group.message = format!("further messages, beyond the {} kinds that are kept", MOST_GROUPS - 1);
        }
        match self.groups.get_mut(&key) {
            Some(known) => known.count += group.count,
            None => drop(self.groups.insert(key, group)),
        }
    }
}

/// Replaces what differs between messages of one kind: ports, stream ids, addresses of objects.
fn without_numbers(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut chars = message.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_ascii_digit() {
            out.push(c);
            continue;
        }
        let hex = c == '0' && chars.next_if_eq(&'x').is_some();
        while chars.next_if(|d| d.is_ascii_digit() || hex && d.is_ascii_hexdigit()).is_some() {}
        out.push('#');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_make_kinds() {
        assert_eq!(without_numbers("127.0.0.1:18101 at 0x7fae, id 1999"), "#.#.#.#:# at #, id #");
    }

    #[test]
    fn groups_are_bounded_and_sum_up() {
        let mut t = Tally::new();
        for i in 0..200 {
            let name = char::from_u32(0x4e00 + i).unwrap();
            t.count(Err(Failure::transport(name.to_string())), Duration::ZERO);
        }
        assert_eq!(t.groups().len(), MOST_GROUPS);
        assert_eq!(t.groups().iter().map(|g| g.count).sum::<u64>(), t.failed);
    }
}
