//! hyper-util's pooled client over hyper-rustls: what reqwest is built on.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Builder, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use tower::Layer;

use crate::client::{ID, Reply};
use crate::dials::{Counted, Dials};
use crate::flags::Flags;
use crate::retry::BoxError;

pub type HyperClient = Client<Counted<HttpsConnector<HttpConnector>>, Full<Bytes>>;

pub fn client(flags: &Flags, tls: ClientConfig, dials: &Dials) -> HyperClient {
    let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_only();
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_timer(TokioTimer::new());
    let connector = match flags.variant.prior_knowledge {
        true => {
            http2_only(&mut builder);
            connector.enable_http2().build()
        }
        false => connector.enable_all_versions().build(),
    };
    builder.build(dials.layer(connector))
}

fn http2_only(builder: &mut Builder) {
    // The pool knows that one connection will do, and lets only one request dial.
    builder.http2_only(true);
}

pub async fn send(c: &HyperClient, flags: &Flags, body: &Bytes, id: &str) -> Result<Reply, BoxError> {
    let request = Request::builder().method(flags.method.clone()).uri(&flags.url).header(ID, id).body(Full::new(body.clone()))?;
    let answer = c.request(request).await?;
    let (version, status) = (answer.version(), answer.status());
    Ok(Reply { version, status, body: answer.into_body().collect().await?.to_bytes() })
}
