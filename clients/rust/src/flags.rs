//! The command line that all client programs of the lab share.

use std::time::Duration;

use lexopt::prelude::*;

use crate::exit::Exit;
use crate::variant::{self, Variant};

#[derive(Clone)]
pub struct Flags {
    pub json: bool,
    pub variant: Variant,
    pub url: String,
    pub h1: bool,
    pub concurrency: usize,
    pub warmup: Duration,
    pub duration: Duration,
    pub ca: String,
    pub method: http::Method,
    pub body_bytes: usize,
    pub max_tls: String,
    pub patience: Duration,
    pub nonce: String,
}

impl Flags {
    fn defaults() -> Self {
        let variant = variant::ALL[0];
        Self {
            json: false,
            variant,
            url: String::new(),
            h1: false,
            concurrency: 100,
            warmup: Duration::from_secs(1),
            duration: Duration::from_secs(5),
            ca: String::new(),
            method: http::Method::POST,
            body_bytes: 1,
            max_tls: "1.3".into(),
            patience: Duration::from_secs(12),
            nonce: format!("{:x}", std::process::id()),
        }
    }

    /// Reads the arguments, and refuses what can't be done.
    pub fn parse() -> Result<Self, Exit> {
        let flags = Self::read(lexopt::Parser::from_env()).map_err(|e| Exit::Usage(one_line(&e.to_string())))?;
        flags.check().map_err(Exit::Usage)?;
        Ok(flags)
    }

    fn read(mut args: lexopt::Parser) -> Result<Self, lexopt::Error> {
        let mut f = Self::defaults();
        while let Some(arg) = args.next()? {
            let Long(name) = arg else { return Err(arg.unexpected()) };
            let name = name.to_owned();
            if name == "json" {
                f.json = true;
                continue;
            }
            let value = args.value()?.string()?;
            f.set(&name, value).map_err(|e| format!("--{name}: {e}"))?;
        }
        Ok(f)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        match name {
            "variant" => self.variant = variant::by_name(&value)?,
            "url" => self.url = value,
            "protocol" => self.h1 = one_of(&value, &["h1", "h2"])? == "h1",
            "concurrency" => self.concurrency = number(&value, 1, 10_000)?,
            "pools" => drop(number(&value, 1, 1).map_err(|_| "this program has one pool: give 1")?),
            "warmup" => self.warmup = duration(&value)?,
            "duration" => self.duration = duration(&value)?,
            "patience" => self.patience = duration(&value)?,
            "ca" => self.ca = value,
            "method" => {
                one_of(&value, &["GET", "POST", "PUT", "PATCH"])?;
                self.method = value.parse().map_err(|_| "no method")?;
            }
            "body-bytes" => self.body_bytes = number(&value, 0, 1 << 20)?,
            "max-tls" => self.max_tls = one_of(&value, &["1.2", "1.3"])?,
            "nonce" => self.nonce = value,
            _ => return Err("no such flag".into()),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        if !self.url.starts_with("https://") {
            return Err(format!("--url: {:?} is no https address", self.url));
        }
        if self.ca.is_empty() {
            return Err("--ca: name the PEM file of the server's authority".into());
        }
        if self.h1 != self.variant.h1 {
            let speaks = if self.variant.h1 { "h1" } else { "h2" };
            return Err(format!("--protocol: {} speaks {speaks}", self.variant.name));
        }
        Ok(())
    }

    /// What every request carries; a GET sends none.
    pub fn body(&self) -> Vec<u8> {
        let bytes = if self.method == http::Method::GET { 0 } else { self.body_bytes };
        vec![b'1'; bytes]
    }

    /// Whether the answer must be what was sent.
    pub fn echoes(&self) -> bool {
        self.method != http::Method::GET && self.url.contains("/echo")
    }
}

fn one_line(s: &str) -> String {
    s.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn one_of(value: &str, all: &[&str]) -> Result<String, String> {
    match all.contains(&value) {
        true => Ok(value.to_owned()),
        false => Err(format!("{value:?} is none of {}", all.join(", "))),
    }
}

fn number(value: &str, least: usize, most: usize) -> Result<usize, String> {
    match value.parse() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ => Err(format!("{value:?} is no whole number from {least} to {most}")),
    }
}

/// Durations are written as Go prints them: 1s, 1.5s, 500ms, 1m0s.
fn duration(value: &str) -> Result<Duration, String> {
    let wrong = || format!("{value:?} is no duration such as 1s, 1.5s, 500ms or 1m0s");
    let (mut rest, mut seconds) = (value, 0.0);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c != '.' && !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (n, after) = rest.split_at(digits);
        let unit = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at(unit);
        let scale = match unit {
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return Err(wrong()),
        };
        seconds += n.parse::<f64>().map_err(|_| wrong())? * scale;
        rest = next;
    }
    match seconds {
        s if s > 0.0 && s < 86_400.0 => Ok(Duration::from_secs_f64(s)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_as_go_prints_them() {
        let ms = |s| duration(s).map(|d| d.as_millis());
        for (s, want) in [("1s", 1000), ("1.5s", 1500), ("500ms", 500), ("1m0s", 60_000), ("1h2m3.5s", 3_723_500)] {
            assert_eq!(ms(s), Ok(want), "{s}");
        }
        for s in ["", "1", "s", "1x", "-1s", "0s", "1.2.3s", "1s2"] {
            assert!(duration(s).is_err(), "{s}");
        }
    }
}
