//! Counts the connections that a connector made; a dial that failed is none.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use tower::{Layer, Service};

#[derive(Clone, Default)]
pub struct Dials(Arc<AtomicU64>);

impl Dials {
    pub fn count(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl<S> Layer<S> for Dials {
    type Service = Counted<S>;

    fn layer(&self, inner: S) -> Counted<S> {
        Counted { inner, dials: self.clone() }
    }
}

#[derive(Clone)]
pub struct Counted<S> {
    inner: S,
    dials: Dials,
}

impl<S, R> Service<R> for Counted<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, target: R) -> Self::Future {
        let (dial, dials) = (self.inner.call(target), self.dials.clone());
        Box::pin(async move {
            let connection = dial.await?;
            dials.0.fetch_add(1, Relaxed);
            Ok(connection)
        })
    }
}
