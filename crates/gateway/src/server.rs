//! Connections: accepted, bounded, each served until it ends or the gateway stops.

use std::{io, sync::Arc, time::Duration};

use hyper::{Request, body::Incoming as Body, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    sync::{Semaphore, watch},
    task::JoinHandle,
};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

use crate::{gateway::Gateway, routes, traces::FINISH_WITHIN};

/// The most bytes of a request's head.
const MOST_HEAD_BYTES: usize = 64 * 1024;
/// How long a connection that is being closed may take to end what it has begun.
const GRACE: Duration = Duration::from_secs(10);

/// Serves until told to stop, then lets what has begun end, for a while.
///
/// # Errors
/// When the listener fails for good.
pub async fn serve(
    gateway: Arc<Gateway>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    mut stop: watch::Receiver<bool>,
) -> io::Result<()> {
    let most = gateway.limits().connections;
    let room = Arc::new(Semaphore::new(most));
    let stopping = stop.clone();
    let desk = gateway.desk().clone();
    let mut deskless = std::pin::pin!(desk.ended());
    let (finish, finishing) = watch::channel(false);
    let export = gateway.export(finishing).map(tokio::spawn);
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { break };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = told_to_stop(&mut stop) => break,
            () = &mut deskless => {
                tracing::error!("nothing can be decided any more, so the gateway ends");
                break;
            }
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of descriptors, or a client that has gone already: neither is a reason to stop.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        // Small pieces of a stream must not wait for an acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection cannot be told not to wait");
        }
        let (gateway, tls, stopping) = (Arc::clone(&gateway), tls.clone(), stopping.clone());
        tokio::spawn(async move {
            match tls {
                None => connection(gateway, stream, stopping).await,
                Some(tls) => match tokio::time::timeout(gateway.timeouts().request(), tls.accept(stream)).await {
                    Ok(Ok(stream)) => connection(gateway, stream, stopping).await,
                    Ok(Err(error)) => tracing::debug!(%error, "a connection did not come to speak TLS"),
                    Err(_) => tracing::debug!("a connection took too long to speak TLS"),
                },
            }
            drop(place);
        });
    }
    drop(listener);
    // Every connection holds a place until it ends.
    let all = u32::try_from(most).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(GRACE, room.acquire_many(all)).await;
    if let Some(export) = export {
        last_traces(&gateway, &finish, export).await;
    }
    Ok(())
}

/// Lets the collector be told of what has ended, for a moment.
async fn last_traces(gateway: &Gateway, finish: &watch::Sender<bool>, mut export: JoinHandle<()>) {
    let told = tokio::time::timeout(FINISH_WITHIN, async {
        // Once this is on the disk, so is all that connections told the desk before they ended.
        if let Ok(((), receipt)) = gateway.desk().record(|_| ()).await {
            let _ = receipt.on_disk().await;
        }
        finish.send_replace(true);
        if let Err(error) = (&mut export).await {
            tracing::error!(%error, "the task that sends traces broke off");
        }
    });
    if told.await.is_err() {
        tracing::warn!("the gateway stops before its last traces could be sent");
        export.abort();
    }
}

async fn connection(
    gateway: Arc<Gateway>,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    mut stopping: watch::Receiver<bool>,
) {
    let (headers, timeouts) = (gateway.limits().headers, gateway.timeouts().request());
    let idle = gateway.timeouts().idle();
    let service = service_fn(move |request: Request<Body>| {
        let gateway = Arc::clone(&gateway);
        async move { Ok::<_, std::convert::Infallible>(routes::answer(gateway, request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(timeouts).max_headers(headers).max_buf_size(MOST_HEAD_BYTES);
    // A client that does not take what it is given is gone, whatever its connection says.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(idle));
    let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = told_to_stop(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// Returns when the gateway is to stop, or nobody is left to say so.
async fn told_to_stop(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
