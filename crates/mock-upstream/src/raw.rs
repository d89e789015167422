//! [`RawUpstream`], a provider that sends prepared bytes, including bytes that no HTTP server would send.

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::Arc,
    time::Duration,
};

/// A request that a [`RawUpstream`] received.
#[derive(Debug, Clone)]
pub struct RawRequest {
    /// The request line and the headers, without the empty line after them.
    pub head: String,
    /// The body, as text.
    pub body: String,
}

/// A step of sending a prepared response. The connection is closed after the last step.
#[derive(Debug, Clone)]
pub enum RawStep {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Waits for a time before the next step.
    Wait(Duration),
    /// Leaves the connection open until the client closes it.
    Stall,
}

/// A provider that responds to each request with the steps, such as sending bytes, that a function returns. Its thread
/// runs until the process ends.
#[derive(Debug)]
pub struct RawUpstream {
    /// The base URL, such as `http://127.0.0.1:4000`.
    url: String,
}

impl RawUpstream {
    /// Starts the provider on a free port of 127.0.0.1. `respond` returns the steps of the response to a request.
    ///
    /// # Errors
    /// The error of binding the port.
    pub fn start(respond: impl Fn(&RawRequest) -> Vec<RawStep> + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let respond = Arc::new(respond);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let respond = Arc::clone(&respond);
                // A client may close the connection at any time; its test detects a response that is missing.
                std::thread::spawn(move || drop(serve(stream, &*respond)));
            }
        });
        Ok(Self { url })
    }

    /// Returns the base URL, without a slash at the end.
    pub fn url(&self) -> String {
        self.url.clone()
    }
}

/// Reads one request from a connection and sends the response by its steps.
fn serve(mut stream: TcpStream, respond: &dyn Fn(&RawRequest) -> Vec<RawStep>) -> io::Result<()> {
    let request = read_request(&mut stream)?;
    for step in respond(&request) {
        match step {
            RawStep::Send(bytes) => stream.write_all(&bytes)?,
            RawStep::Wait(time) => std::thread::sleep(time),
            RawStep::Stall => {
                let mut rest = Vec::new();
                stream.read_to_end(&mut rest)?;
            }
        }
    }
    Ok(())
}

/// Reads one request: its head, and a body of the length in `Content-Length`.
fn read_request(stream: &mut TcpStream) -> io::Result<RawRequest> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            if length.unwrap_or(0) <= body.len() {
                return Ok(RawRequest { head: head.to_owned(), body: body.to_owned() });
            }
        }
        match stream.read(&mut chunk)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => bytes.extend_from_slice(chunk.get(..count).unwrap_or_default()),
        }
    }
}
