//! The ground under the fake servers: a thread with its own runtime, and connections that can be cut.
//!
//! Invariants: dropping a [`Background`] closes its port and every connection before `drop` returns;
//! after [`Cut::now`] not one more byte leaves through that connection.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::thread::JoinHandle;

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// A server running in its own thread, stopped when dropped.
#[derive(Debug)]
pub struct Background {
    addr: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Binds a free port of 127.0.0.1 and serves it; connections are accepted from the moment this returns.
    pub fn start<Serve, Fut>(name: &str, serve: Serve) -> Self
    where
        Serve: FnOnce(TcpListener) -> Fut + Send + 'static,
        Fut: Future<Output = ()>,
    {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a non-blocking listener");
        let addr = listener.local_addr().expect("a bound address");
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async move {
                    let listener = TcpListener::from_std(listener).expect("a listener");
                    tokio::select! {
                        () = serve(listener) => {}
                        _ = stopped => {}
                    }
                });
            })
            .expect("a thread");
        Self { addr, stop: Some(stop), thread: Some(thread) }
    }

    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The scissors of one connection.
#[derive(Clone, Debug, Default)]
pub struct Cut(Arc<AtomicBool>);

impl Cut {
    /// From now on the peer sees the connection close instead of an answer.
    pub fn now(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn check(&self) -> io::Result<()> {
        if self.0.load(Ordering::SeqCst) {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "cut by the test"));
        }
        Ok(())
    }
}

impl Connected<IncomingStream<'_, Wires>> for Cut {
    fn connect_info(stream: IncomingStream<'_, Wires>) -> Self {
        stream.io().cut.clone()
    }
}

/// Serves HTTP/1 on `listener`; handlers may take `ConnectInfo<Cut>` to cut their own connection.
pub async fn serve_http(listener: TcpListener, router: Router) {
    let service = router.into_make_service_with_connect_info::<Cut>();
    axum::serve(Wires(listener), service).await.expect("the HTTP server");
}

struct Wires(TcpListener);

impl Listener for Wires {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Wire, SocketAddr) {
        loop {
            if let Ok((stream, addr)) = self.0.accept().await {
                // Without this, an answer in two writes waits 40 ms for the peer's delayed ACK.
                let _ = stream.set_nodelay(true);
                return (Wire { stream, cut: Cut::default() }, addr);
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

struct Wire {
    stream: TcpStream,
    cut: Cut,
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.cut.check()?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
