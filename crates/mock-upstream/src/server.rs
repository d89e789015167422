//! The server of the mock: its listener, its thread and its connections.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::Arc,
    thread::JoinHandle,
    time::Duration,
};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{runtime, sync::oneshot};

use crate::{
    connection::{Connection, ResetSwitch},
    failure::Failure,
    record::Request,
    request_handler::handle_request,
    state::{Settings, State},
};

/// A running mock provider. Its server has a thread of its own; dropping this value ends the thread and all
/// connections.
#[derive(Debug)]
pub struct MockUpstream {
    /// The address on which it listens.
    address: SocketAddr,
    /// The state that the connections share.
    state: Arc<State>,
    /// Ends the server; `None` once it was used.
    stop: Option<oneshot::Sender<()>>,
    /// The thread of the server; `None` once it was joined.
    thread: Option<JoinHandle<()>>,
}

impl MockUpstream {
    /// Starts a mock provider on a thread of its own. It accepts connections when this returns.
    ///
    /// # Errors
    /// [`io::Error`] if the port is taken, or no thread can be started.
    pub fn start(settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::new(settings));
        let (stop, stop_receiver) = oneshot::channel();
        let runtime = if settings.threads > 1 {
            runtime::Builder::new_multi_thread().worker_threads(settings.threads).enable_all().build()?
        } else {
            runtime::Builder::new_current_thread().enable_all().build()?
        };
        let listener = {
            let _entered = runtime.enter();
            tokio::net::TcpListener::from_std(listener)?
        };
        let accept_loop = accept(listener, Arc::clone(&state));
        let body = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept_loop => {}
                    // The mock was dropped.
                    _ = stop_receiver => {}
                }
            });
            // Unfinished responses must not keep the thread alive.
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("mock-upstream".to_owned()).spawn(body)?;
        Ok(Self { address, state, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the address on which the mock listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the base URL, such as `http://127.0.0.1:4000`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the last 1,000 requests, the oldest first. Requests to `/control` are not recorded.
    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.all()
    }

    /// Returns the number of requests since the start, without those to `/control`.
    pub fn count(&self) -> u64 {
        self.state.request_count()
    }

    /// Adds a failure of future requests. Failures that were added earlier take effect first.
    pub fn fail(&self, failure: Failure) {
        self.state.failures.add(failure);
    }

    /// Removes all failures that were added, and all recorded requests.
    pub fn reset(&self) {
        self.state.failures.clear();
        self.state.requests.clear();
    }

    /// Blocks until the mock ends, which happens only if its listener fails.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            // The panic was printed when it happened.
            let _ = thread.join();
        }
    }
}

impl Drop for MockUpstream {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // If the receiver is gone, the thread has already ended.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Accepts connections and serves each in a task of its own. Does not return; after an error it waits 5 ms and
/// continues.
async fn accept(listener: tokio::net::TcpListener, state: Arc<State>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(serve(stream, Arc::clone(&state)))),
            // Mostly out of file descriptors, until one is closed.
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// Serves the requests of one connection until the client, an error or a requested failure ends it.
async fn serve(stream: tokio::net::TcpStream, state: Arc<State>) {
    // With Nagle's algorithm, small chunks would wait up to 40 ms for acknowledgements; that is not an error.
    let _ = stream.set_nodelay(true);
    let reset = ResetSwitch::default();
    let connection = TokioIo::new(Connection::new(stream, reset.clone()));
    let service = service_fn(move |request| handle_request(Arc::clone(&state), reset.clone(), request));
    // A connection ends because of the client or a requested failure; the record contains which.
    let _ = http1::Builder::new().serve_connection(connection, service).await;
}
