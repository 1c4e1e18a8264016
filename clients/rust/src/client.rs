//! The one client object that all workers share.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderName, StatusCode, Version};
use tokio::time::timeout;

use crate::dials::Dials;
use crate::exit::Exit;
use crate::flags::Flags;
use crate::over_hyper::{self, HyperClient};
use crate::over_reqwest;
use crate::retry::{self, BoxError};
use crate::tally::Failure;
use crate::tls::{self, Handshakes};
use crate::variant::{Retry, Stack};

/// Carries a call's id: the backend counts the requests that have it.
pub const ID: HeaderName = HeaderName::from_static("x-lab-request-id");

/// An answer that was read to its end.
pub struct Reply {
    pub version: Version,
    pub status: StatusCode,
    pub body: Bytes,
}

enum Inner {
    Reqwest(reqwest::Client),
    Hyper(Box<HyperClient>),
}

pub struct Client {
    inner: Inner,
    flags: Flags,
    body: Bytes,
    pub dials: Dials,
    pub handshakes: Arc<Handshakes>,
}

impl Client {
    pub fn new(flags: Flags) -> Result<Self, Exit> {
        let (dials, handshakes) = (Dials::default(), Arc::default());
        let tls = tls::config(&flags, &handshakes)?;
        let inner = match flags.variant.stack {
            Stack::Reqwest => Inner::Reqwest(over_reqwest::client(&flags, tls, &dials)?),
            Stack::HyperUtil => Inner::Hyper(Box::new(over_hyper::client(&flags, tls, &dials))),
        };
        let body = flags.body().into();
        Ok(Self { inner, flags, body, dials, handshakes })
    }

    /// One call within the harness's patience; a call that is given up is
    /// dropped, which is how Rust cancels.
    pub async fn call(&self, id: &str) -> Result<(), Failure> {
        let patience = self.flags.patience;
        match timeout(patience, self.answer(id)).await {
            Ok(Ok(reply)) => self.judge(reply),
            Ok(Err(e)) => Err(Failure::transport(retry::chain(&*e))),
            Err(_) => Err(Failure::hung(patience)),
        }
    }

    async fn answer(&self, id: &str) -> Result<Reply, BoxError> {
        match self.flags.variant.retry {
            Retry::Loop => retry::again(|| self.once(id)).await,
            _ => self.once(id).await,
        }
    }

    async fn once(&self, id: &str) -> Result<Reply, BoxError> {
        match &self.inner {
            Inner::Reqwest(c) => over_reqwest::send(c, &self.flags, &self.body, id).await,
            Inner::Hyper(c) => over_hyper::send(c, &self.flags, &self.body, id).await,
        }
    }

    fn judge(&self, r: Reply) -> Result<(), Failure> {
        let want = if self.flags.h1 { Version::HTTP_11 } else { Version::HTTP_2 };
        if r.version != want {
            let wrong = format!("the answer came over {:?}, not {want:?}", r.version);
            std::process::exit(Exit::CouldNot(wrong).report()); // figures would stand under a false name
        }
        if r.status != StatusCode::OK {
            return Err(Failure::status(format!("HTTP {}", r.status)));
        }
        if self.flags.echoes() && r.body != self.body {
            let (got, sent) = (r.body.len(), self.body.len());
            return Err(Failure::status(format!("the answer ({got} bytes) is not what was sent ({sent} bytes)")));
        }
        Ok(())
    }

    /// Which code the figures are about.
    pub fn library(&self) -> String {
        let (util, h2) = (locked("hyper-util"), locked("h2"));
        match self.flags.variant.stack {
            Stack::Reqwest => format!("reqwest {} (hyper-util {util}, h2 {h2})", locked("reqwest")),
            Stack::HyperUtil => format!("hyper-util {util} (h2 {h2})"),
        }
    }
}

/// The version of a crate, by the lock file that the program was built with.
fn locked(name: &str) -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let entry = format!("name = \"{name}\"\nversion = \"");
    lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("")
}
