//! The line of JSON that every client program of the lab ends with.

use std::time::Duration;

use serde::Serialize;

use crate::tally::{Group, Tally};

#[derive(Serialize)]
pub struct Answer {
    attempts: u64,
    succeeded: u64,
    failed: u64,
    warmup_requests: u64,
    elapsed_s: f64,
    failures: Vec<Group>,
    latency_ms: Latency,
    dialled: Option<u64>,
    client_reported: Option<u64>,
    tls: Tls,
    hung: u64,
    library: String,
    runtime: String,
}

#[derive(Default, Serialize)]
struct Latency {
    p50: Option<f64>,
    p90: Option<f64>,
    p95: Option<f64>,
    p99: Option<f64>,
    p999: Option<f64>,
    max: Option<f64>,
}

#[derive(Serialize)]
pub struct Tls {
    pub version: &'static str,
    pub resumed: Option<u64>,
}

/// What was counted of connections between the window's two ends.
pub struct Connections {
    pub dialled: u64,
    pub tls: Tls,
}

impl Answer {
    pub fn new(warmup_requests: u64, t: &Tally, elapsed: Duration, c: Connections, library: String) -> Self {
        Self {
            attempts: t.attempts(),
            succeeded: t.succeeded,
            failed: t.failed,
            warmup_requests,
            elapsed_s: elapsed.as_secs_f64(),
            failures: t.groups(),
            latency_ms: Latency::of(t),
            dialled: Some(c.dialled),
            client_reported: None,
            tls: c.tls,
            hung: t.hung,
            library,
            runtime: option_env!("LAB_RUSTC").unwrap_or("rustc").to_owned(),
        }
    }

    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("an answer has nothing that JSON hasn't")
    }

    /// The answer for a reader at a terminal.
    pub fn text(&self) -> String {
        let ms = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.2}"));
        let l = &self.latency_ms;
        let mut out = format!(
            "{}: {} succeeded, {} failed ({} hung) in {:.2} s: {:.0} requests/s\n  latency ms: p50 {}, p99 {}, max {}\n  connections dialled in the window: {}; TLS {}, resumed {}",
            self.library,
            self.succeeded,
            self.failed,
            self.hung,
            self.elapsed_s,
            self.succeeded as f64 / self.elapsed_s,
            ms(l.p50),
            ms(l.p99),
            ms(l.max),
            self.dialled.unwrap_or(0),
            self.tls.version,
            self.tls.resumed.unwrap_or(0),
        );
        for g in &self.failures {
            out += &format!("\n  {} x {}", g.count, g.message);
        }
        out
    }
}

impl Latency {
    fn of(t: &Tally) -> Self {
        if t.succeeded == 0 {
            return Self::default();
        }
        let at = |q| Some(t.latency.value_at_quantile(q) as f64 / 1000.0);
        Self { p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), p999: at(0.999), max: at(1.0) }
    }
}
