//! Accepts connections, serves them, and shuts the gateway down.

use std::{io, sync::Arc, time::Duration};

use control::ControlSocket;
use event_bus::BusError;
use hyper::{Request, body::Incoming as Body, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    sync::{Semaphore, watch},
    task::JoinSet,
};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

use crate::{control::EngineCommands, embedding, gateway::Gateway, outages, routes};

/// The largest request line and headers of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Serves clients until `stop` is set or the bus ends, then shuts the gateway down.
///
/// The shutdown has this order: stop accepting connections; end the live streams of the page; let running requests
/// finish within [`Limits::shutdown_ms`](crate::Limits) and cancel the rest; let the running commands of the control
/// socket finish; close the bus, which records the end of cancelled requests, drains the reactors, makes everything
/// durable and closes the log.
///
/// Without `tls`, connections are plain HTTP. Without `control`, commands cannot connect to the gateway.
///
/// # Errors
/// [`BusError`] if a reactor cannot start, or the bus cannot be closed cleanly.
pub async fn serve(
    gateway: Arc<Gateway>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    control: Option<ControlSocket>,
    stop: watch::Receiver<bool>,
) -> Result<(), BusError> {
    gateway.start_reactors().await?;
    let embedding = tokio::spawn(embedding::start_when_configured(gateway.bus().clone(), gateway.http().clone()));
    let recoveries = tokio::spawn(outages::record_recoveries(gateway.bus().clone()));
    let (stop_control, control_stopping) = watch::channel(false);
    let control = control
        .map(|socket| tokio::spawn(control::serve(socket, EngineCommands(Arc::clone(&gateway)), control_stopping)));
    let mut connections = accept(&gateway, listener, tls, stop).await;
    embedding.abort();
    recoveries.abort();
    gateway.begin_shutdown();
    stop_control.send_replace(true);
    let grace = Duration::from_millis(gateway.limits().shutdown_ms);
    if tokio::time::timeout(grace, async { while connections.join_next().await.is_some() {} }).await.is_err() {
        tracing::warn!(connections = connections.len(), "requests are cancelled: they did not finish in time");
        // A call that is dropped is recorded as cancelled.
        connections.shutdown().await;
    }
    if let Some(control) = control
        && let Err(error) = control.await
    {
        tracing::error!(%error, "the task of the control socket failed");
    }
    gateway.bus().close().await
}

/// Accepts connections of clients until `stop` is set or the bus ends, and starts a task for each. Beyond the limit of
/// connections, further ones wait. Returns the tasks.
async fn accept(
    gateway: &Arc<Gateway>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    mut stop: watch::Receiver<bool>,
) -> JoinSet<()> {
    let stopping = stop.clone();
    let permits = Arc::new(Semaphore::new(gateway.limits().connections));
    let mut ended = std::pin::pin!(gateway.bus().ended());
    let mut connections = JoinSet::new();
    loop {
        // Drops the results of connections that have ended.
        while connections.try_join_next().is_some() {}
        let accepting = async {
            let permit = Arc::clone(&permits).acquire_owned().await.map_err(io::Error::other)?;
            Ok::<_, io::Error>((listener.accept().await?.0, permit))
        };
        let accepted = tokio::select! {
            accepted = accepting => accepted,
            () = wait_for_stop(&mut stop) => break,
            () = &mut ended => {
                tracing::error!("no turn can be decided any more, so the gateway stops");
                break;
            }
        };
        let (stream, permit) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, or the client has disconnected: neither is a reason to stop.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        // Small chunks of a stream must not wait for an acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY cannot be set");
        }
        let (gateway, tls, stopping) = (Arc::clone(gateway), tls.clone(), stopping.clone());
        connections.spawn(async move {
            match tls {
                None => serve_connection(gateway, stream, stopping).await,
                Some(tls) => match tokio::time::timeout(gateway.timeouts().request(), tls.accept(stream)).await {
                    Ok(Ok(stream)) => serve_connection(gateway, stream, stopping).await,
                    Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                    Err(_) => tracing::debug!("a TLS handshake timed out"),
                },
            }
            drop(permit);
        });
    }
    connections
}

/// Serves the HTTP requests of a connection until it closes. Once `stopping` is set, the running request is its last.
async fn serve_connection(
    gateway: Arc<Gateway>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    mut stopping: watch::Receiver<bool>,
) {
    let (max_headers, request_timeout) = (gateway.limits().headers, gateway.timeouts().request());
    let idle = gateway.timeouts().idle();
    let service = service_fn(move |request: Request<Body>| {
        let gateway = Arc::clone(&gateway);
        async move { Ok::<_, std::convert::Infallible>(routes::handle(gateway, request).await) }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(request_timeout)
        .max_headers(max_headers)
        .max_buf_size(MAX_HEAD_BYTES);
    // A client that reads nothing for this long counts as disconnected.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(idle));
    let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = wait_for_stop(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended with an error");
    }
}

/// Resolves when `stop` is set or its sender is dropped.
async fn wait_for_stop(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
