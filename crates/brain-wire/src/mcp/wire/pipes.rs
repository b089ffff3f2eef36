//! Standard input and output of a program: a message a line.
//!
//! Invariants: a line has a largest size, beyond which it is not kept; what is no message is left out, and answered by
//! nobody, since an answer may be taken for the next one; whoever stops waiting for a line loses nothing of it.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{self, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

use super::frame;
use super::traffic::Traffic;
use brain_core::limits::MCP_MESSAGE_BYTES_MAX;

/// See the module.
pub struct Pipes<R, W> {
    lines: BufReader<R>,
    /// What has come of the line that is being read; nothing of one that is too long.
    line: Vec<u8>,
    is_too_long: bool,
    /// `None` once it is closed.
    input: Arc<Mutex<Option<W>>>,
    traffic: Traffic,
}

impl<R: AsyncRead + Send + Unpin, W> Pipes<R, W> {
    pub fn new(output: R, input: W, traffic: Traffic) -> Self {
        let (line, input) = (Vec::new(), Arc::new(Mutex::new(Some(input))));
        Self { lines: BufReader::new(output), line, is_too_long: false, input, traffic }
    }

    /// Reads on until a line is whole; false: there are no more. One that was too long is empty.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let come = self.lines.fill_buf().await?;
            if come.is_empty() {
                return Ok(false);
            }
            let end = come.iter().position(|byte| *byte == b'\n');
            let piece = &come[..end.unwrap_or(come.len())];
            self.is_too_long |= piece.len() > MCP_MESSAGE_BYTES_MAX - self.line.len();
            if self.is_too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(piece);
            }
            let read = piece.len() + usize::from(end.is_some());
            self.lines.consume(read);
            self.traffic.line(read);
            if end.is_some() {
                self.is_too_long = false;
                return Ok(true);
            }
        }
    }
}

impl<R, W> Transport<RoleClient> for Pipes<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleClient>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let input = Arc::clone(&self.input);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut input = input.lock().await;
            let input = input.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            input.write_all(&line).await?;
            input.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        while self.read_line().await.ok()? {
            let message = frame::message(self.line.strip_suffix(b"\r").unwrap_or(&self.line));
            self.line.clear();
            if message.is_some() {
                return message;
            }
        }
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.input.lock().await.take());
        Ok(())
    }
}
