//! rustls as reqwest and hyper-rustls configure it, with two counters: the
//! key log is told of every handshake, the verifier of those that are full.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use crate::exit::Exit;
use crate::flags::Flags;

#[derive(Debug, Default)]
pub struct Handshakes {
    tls12: AtomicU64,
    tls13: AtomicU64,
    full: AtomicU64,
}

impl Handshakes {
    pub fn version(&self) -> &'static str {
        match (self.tls12.load(Relaxed), self.tls13.load(Relaxed)) {
            (0, 0) => "",
            (_, 0) => "1.2",
            _ => "1.3",
        }
    }

    pub fn resumed(&self) -> u64 {
        let all = self.tls12.load(Relaxed) + self.tls13.load(Relaxed);
        all.saturating_sub(self.full.load(Relaxed))
    }
}

/// Labels of the secrets that a handshake has one of (draft-ietf-tls-keylogfile).
const TLS12: &str = "CLIENT_RANDOM";
const TLS13: &str = "CLIENT_TRAFFIC_SECRET_0";

#[derive(Debug)]
struct CountAll(Arc<Handshakes>);

impl rustls::KeyLog for CountAll {
    fn will_log(&self, label: &str) -> bool {
        label == TLS12 || label == TLS13
    }

    fn log(&self, label: &str, _client_random: &[u8], _secret: &[u8]) {
        let count = if label == TLS12 { &self.0.tls12 } else { &self.0.tls13 };
        count.fetch_add(1, Relaxed);
    }
}

/// The usual verifier. A resumed handshake shows no certificate, so doesn't ask it.
#[derive(Debug)]
struct CountFull(Arc<WebPkiServerVerifier>, Arc<Handshakes>);

impl ServerCertVerifier for CountFull {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.1.full.fetch_add(1, Relaxed);
        self.0.verify_server_cert(end_entity, intermediates, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

/// Trusts the given authority only. ALPN is left to the caller.
pub fn config(flags: &Flags, count: &Arc<Handshakes>) -> Result<ClientConfig, Exit> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = CountFull(verifier(&flags.ca, &provider)?, count.clone());
    let versions: &[_] = match flags.max_tls.as_str() {
        "1.2" => &[&rustls::version::TLS12],
        _ => rustls::ALL_VERSIONS,
    };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .map_err(|e| Exit::CouldNot(format!("configuring TLS: {e}")))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.key_log = Arc::new(CountAll(count.clone()));
    if !flags.variant.resume {
        config.resumption = Resumption::disabled();
    }
    Ok(config)
}

fn verifier(ca: &str, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, Exit> {
    let pem = std::fs::read(ca).map_err(|e| Exit::Missing(format!("--ca {ca}: {e}")))?;
    let mut roots = RootCertStore::empty();
    for cert in CertificateDer::pem_slice_iter(&pem) {
        let cert = cert.map_err(|e| Exit::Missing(format!("--ca {ca}: {e}")))?;
        roots.add(cert).map_err(|e| Exit::Missing(format!("--ca {ca}: {e}")))?;
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
        .build()
        .map_err(|e| Exit::Missing(format!("--ca {ca}: {e}")))
}
