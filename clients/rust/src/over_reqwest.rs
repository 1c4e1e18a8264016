//! reqwest, as an application uses it.

use bytes::Bytes;
use futures_util::stream;
use rustls::ClientConfig;

use crate::client::{ID, Reply};
use crate::dials::Dials;
use crate::exit::Exit;
use crate::flags::Flags;
use crate::retry::{self, BoxError};
use crate::variant::Retry;

pub fn client(flags: &Flags, tls: ClientConfig, dials: &Dials) -> Result<reqwest::Client, Exit> {
    let v = flags.variant;
    let mut builder = reqwest::Client::builder().no_proxy().connector_layer(dials.clone());
    if v.prior_knowledge {
        builder = prior_knowledge(builder);
    }
    if v.h1 {
        builder = http1_only(builder);
    }
    if v.retry == Retry::Policy {
        builder = retry::policy(builder, "127.0.0.1");
    }
    builder.tls_backend_preconfigured(with_alpn(flags, tls)).build().map_err(|e| Exit::CouldNot(retry::chain(&e)))
}

fn prior_knowledge(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    // snippet:prior-knowledge
    // The pool knows that one connection will do, and lets only one request dial.
    builder.http2_prior_knowledge()
    // snippet:end
}

fn http1_only(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    // snippet:http1-only
    builder.http1_only()
    // snippet:end
}

/// What reqwest offers by ALPN when it makes the configuration itself.
fn with_alpn(flags: &Flags, mut tls: ClientConfig) -> ClientConfig {
    tls.alpn_protocols = match (flags.variant.prior_knowledge, flags.h1) {
        (true, _) => vec!["h2".into()],
        (_, true) => vec!["http/1.1".into()],
        _ => vec!["h2".into(), "http/1.1".into()],
    };
    tls
}

pub async fn send(c: &reqwest::Client, flags: &Flags, body: &Bytes, id: &str) -> Result<Reply, BoxError> {
    let mut request = c.request(flags.method.clone(), &flags.url).header(ID, id);
    if !body.is_empty() {
        request = request.body(body_of(flags.variant.stream, body.clone()));
    }
    let answer = request.send().await?;
    let (version, status) = (answer.version(), answer.status());
    Ok(Reply { version, status, body: answer.bytes().await? })
}

/// reqwest can send bytes again; a stream it has to hand on, and has no more.
fn body_of(streamed: bool, body: Bytes) -> reqwest::Body {
    match streamed {
        true => reqwest::Body::wrap_stream(stream::iter([Ok::<_, std::io::Error>(body)])),
        false => body.into(),
    }
}
