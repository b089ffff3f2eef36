//! Serving HTTP/1 within limits: connections have a largest number, and the head and the body of a request a time by
//! which they are there and a size.
//!
//! Not here: who may ask what, which is decided by whoever answers.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// What one listener takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct HttpLimits {
    pub connections: usize,
    /// For the head of a request, and again for its body.
    pub read: Duration,
    pub body_bytes: usize,
}

/// Serves until dropped. When all places are taken, a connection waits until another's time is over.
pub(super) async fn serve<A, F>(listener: TcpListener, limits: HttpLimits, answer: A)
where
    A: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let room = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let answer = answer.clone();
                connections.spawn(async move {
                    let _place = place;
                    connection(stream, limits, answer).await;
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn connection<A, F>(stream: TcpStream, limits: HttpLimits, answer: A)
where
    A: Fn(Request<Incoming>) -> F,
    F: Future<Output = Response<Body>>,
{
    let service = service_fn(|request| {
        let answered = answer(request);
        async move { Ok::<_, Infallible>(answered.await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.read);
    if let Err(error) = http.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// The body of a request, or why there is none.
pub(super) async fn body(request: Request<Incoming>, limits: HttpLimits) -> Result<Bytes, StatusCode> {
    let body = to_bytes(Body::new(request.into_body()), limits.body_bytes);
    match timeout(limits.read, body).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_too_large)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_too_slow) => Err(StatusCode::REQUEST_TIMEOUT),
    }
}
