//! The server side of the control socket: accepts connections and passes their requests to the engine.

use std::{io, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{Semaphore, watch},
    task::JoinSet,
};

use crate::{
    error::ControlError,
    frame::{MAX_FRAME_BYTES, decode_request, encode_response, too_long},
    operation::ControlRequest,
    socket::ControlSocket,
};

/// Maximum number of open connections; further ones wait until one is closed.
const MAX_CONNECTIONS: usize = 16;
/// Time limit for running requests after the server was stopped.
const GRACE: Duration = Duration::from_secs(2);
/// Time limit for the rest of a request after its first byte. A connection that exceeds it is closed, so that stalled
/// clients do not occupy all connections.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause after a connection could not be accepted, so that a lasting error does not occupy the processor.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);
/// Maximum length in bytes of frames that are decoded on the runtime's threads, about a millisecond of work. Longer
/// ones are decoded on a blocking thread.
const MAX_INLINE_BYTES: usize = 256 * 1024;

/// Executes requests of the control socket on the thread that owns the engine. The gateway implements it with its bus.
pub trait Commands: Clone + Send + Sync + 'static {
    /// Executes a request with [`execute`](crate::execute); resolves when the recorded events are durable.
    ///
    /// # Errors
    /// [`ControlError`] of the operation, or if its events cannot be made durable.
    fn execute(&self, request: ControlRequest) -> impl Future<Output = Result<Value, ControlError>> + Send;
}

/// Serves connections to the control socket until `stop` is true or its sender is dropped. Then removes the socket file
/// and waits up to 2 seconds for running requests. Failures of connections are logged.
pub async fn serve(socket: ControlSocket, commands: impl Commands, mut stop: watch::Receiver<bool>) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accept_result = tokio::select! {
            accept_result = accept(&socket, &slots) => accept_result,
            () = stopped(&mut stop) => break,
        };
        match accept_result {
            Ok((stream, slot)) => {
                let (commands, stop) = (commands.clone(), stop.clone());
                connections.spawn(async move {
                    if let Err(error) = serve_connection(stream, commands, stop).await {
                        tracing::debug!(%error, "a control connection failed");
                    }
                    drop(slot);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a control connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
        while connections.try_join_next().is_some() {}
    }
    drop(socket);
    let grace_result = tokio::time::timeout(GRACE, async { while connections.join_next().await.is_some() {} }).await;
    if grace_result.is_err() {
        tracing::warn!("the gateway stops before every command was answered");
    }
}

/// Accepts a connection to the control socket once fewer than [`MAX_CONNECTIONS`] are open. The returned permit must be
/// dropped when the connection closes.
async fn accept(
    socket: &ControlSocket,
    slots: &Arc<Semaphore>,
) -> io::Result<(UnixStream, tokio::sync::OwnedSemaphorePermit)> {
    let slot = Arc::clone(slots).acquire_owned().await.map_err(io::Error::other)?;
    Ok((socket.accept().await?, slot))
}

/// Serves the requests of a connection one after the other, until the client closes it, it sends a line that is too
/// long, or the server stops. A running request is completed first.
async fn serve_connection(
    stream: UnixStream,
    commands: impl Commands,
    mut stop: watch::Receiver<bool>,
) -> io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    loop {
        let read = tokio::select! {
            read = read_frame(&mut reader) => read?,
            () = stopped(&mut stop) => return Ok(()),
        };
        let outcome = match read {
            Frame::Line(line) => match decode(line).await {
                Ok(request) => commands.execute(request).await,
                Err(error) => Err(error),
            },
            Frame::TooLong => return respond(&mut writer, Err(too_long())).await,
            Frame::End => return Ok(()),
        };
        respond(&mut writer, outcome).await?;
    }
}

/// Result of reading a line from a connection: the line, an error, or the end of the connection.
enum Frame {
    /// A complete line with its line feed.
    Line(Vec<u8>),
    /// A line longer than [`MAX_FRAME_BYTES`], whose remainder was not read.
    TooLong,
    /// The end of the connection.
    End,
}

/// Reads the next line of a connection. An incomplete line at the end of the connection is [`Frame::End`].
///
/// # Errors
/// `TimedOut` if a line is not complete [`REQUEST_TIMEOUT`] after its first byte; [`io::Error`] if the socket fails.
async fn read_frame(reader: &mut BufReader<OwnedReadHalf>) -> io::Result<Frame> {
    // A connection may be idle between two requests for any time.
    if reader.fill_buf().await?.is_empty() {
        return Ok(Frame::End);
    }
    let mut line = Vec::new();
    let mut limited_reader = reader.take(MAX_FRAME_BYTES as u64);
    tokio::time::timeout(REQUEST_TIMEOUT, limited_reader.read_until(b'\n', &mut line)).await??;
    Ok(match line.last() {
        Some(b'\n') => Frame::Line(line),
        _ if line.len() == MAX_FRAME_BYTES => Frame::TooLong,
        _ => Frame::End,
    })
}

/// Decodes a request from its line, on a blocking thread if the line is long.
async fn decode(line: Vec<u8>) -> Result<ControlRequest, ControlError> {
    if line.len() <= MAX_INLINE_BYTES {
        return decode_request(&line);
    }
    let decode_result = tokio::task::spawn_blocking(move || decode_request(&line)).await;
    decode_result.map_err(|error| ControlError::failed(error.to_string()))?
}

/// Sends the result of a request to the client.
async fn respond(writer: &mut OwnedWriteHalf, outcome: Result<Value, ControlError>) -> io::Result<()> {
    writer.write_all(&encode_response(outcome)).await
}

/// Resolves when `stop` is true or its sender was dropped.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender was dropped.
    let _ = stop.wait_for(|stop| *stop).await;
}
