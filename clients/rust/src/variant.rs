//! The rows: which client, with what around it.

#[derive(Clone, Copy, PartialEq)]
pub enum Stack {
    Reqwest,
    HyperUtil,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Retry {
    /// What the library does of its own accord.
    Library,
    /// reqwest::retry with a classifier of the application's.
    Policy,
    /// A loop around the call.
    Loop,
}

#[derive(Clone, Copy)]
pub struct Variant {
    pub name: &'static str,
    pub stack: Stack,
    pub h1: bool,
    /// The body can be read once only.
    pub stream: bool,
    /// TLS sessions are resumed, as rustls does unless told otherwise.
    pub resume: bool,
    /// HTTP/2 is known beforehand, not learnt by ALPN.
    pub prior_knowledge: bool,
    pub retry: Retry,
}

const REQWEST: Variant = Variant {
    name: "reqwest",
    stack: Stack::Reqwest,
    h1: false,
    stream: false,
    resume: true,
    prior_knowledge: false,
    retry: Retry::Library,
};
const HYPER_UTIL: Variant = Variant { name: "hyper-util", stack: Stack::HyperUtil, ..REQWEST };

pub const ALL: &[Variant] = &[
    REQWEST,
    Variant { name: "reqwest-prior-knowledge", prior_knowledge: true, ..REQWEST },
    Variant { name: "reqwest-retry-policy", prior_knowledge: true, retry: Retry::Policy, ..REQWEST },
    Variant { name: "reqwest-h1", h1: true, ..REQWEST },
    Variant { name: "reqwest-no-resume", resume: false, ..REQWEST },
    Variant { name: "reqwest-no-resume-prior-knowledge", resume: false, prior_knowledge: true, ..REQWEST },
    Variant { name: "reqwest-stream", stream: true, ..REQWEST },
    Variant { name: "reqwest-stream-retry", stream: true, prior_knowledge: true, retry: Retry::Loop, ..REQWEST },
    HYPER_UTIL,
    Variant { name: "hyper-util-retry", prior_knowledge: true, retry: Retry::Loop, ..HYPER_UTIL },
];

pub fn by_name(name: &str) -> Result<Variant, String> {
    ALL.iter().find(|v| v.name == name).copied().ok_or_else(|| {
        let names: Vec<_> = ALL.iter().map(|v| v.name).collect();
        format!("{name:?} is none of {}", names.join(", "))
    })
}
