//! A TCP connection that can be reset within a response.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use crate::record::EndRecorder;

/// Makes a connection end with a TCP reset. It is shared by the connection and the bodies of its responses.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResetSwitch(Arc<AtomicBool>);

impl ResetSwitch {
    /// Makes the connection end with a TCP reset when it is closed.
    pub(crate) fn request_reset(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// What a response body needs of its connection: the recorder of its end, and the switch that resets the connection.
pub(crate) struct ResponseHandle {
    /// Records the end of the response.
    pub(crate) recorder: EndRecorder,
    /// Resets the connection of the response.
    pub(crate) reset: ResetSwitch,
}

/// A TCP connection that ends with a reset if its switch was set.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The TCP connection.
    stream: TcpStream,
    /// The switch that makes the connection end with a reset.
    reset: ResetSwitch,
}

impl Connection {
    /// Creates a connection that ends with a reset if `reset` is set before it is closed.
    pub(crate) fn new(stream: TcpStream, reset: ResetSwitch) -> Self {
        Self { stream, reset }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.reset.0.load(Ordering::Acquire) {
            // If this fails, the other side sees an orderly end, and the test that requested the reset fails.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.reset.0.load(Ordering::Acquire) {
            // After an orderly end the reset would be a mere close.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
