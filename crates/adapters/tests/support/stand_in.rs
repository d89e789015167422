//! A test server with a minimal embeddings endpoint, on a thread of its own. Tests of several crates include this file.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// A received request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// Request line and headers, one per item.
    pub(crate) head: Vec<String>,
    /// The body as JSON; null if it is not JSON.
    pub(crate) body: Value,
}

impl Asked {
    /// Returns the texts to embed.
    pub(crate) fn texts(&self) -> Vec<String> {
        let texts = self.body["input"].as_array().unwrap().iter();
        texts.map(|text| text.as_str().unwrap().to_owned()).collect()
    }
}

/// Response to a request.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// Status 200 with a body.
    Text(String),
    /// A status with further headers, each with its line end, and a body.
    Status(u16, &'static str, &'static str),
    /// Status 200 with this number of bytes of white space.
    Flood(usize),
    /// No response; the connection stays open.
    Silence,
}

impl Reply {
    /// Creates a response with these embeddings in the order of the texts.
    pub(crate) fn directions(directions: &[Vec<f32>]) -> Self {
        let item = |(index, direction): (usize, &Vec<f32>)| json!({ "object": "embedding", "index": index, "embedding": direction });
        let data: Vec<_> = directions.iter().enumerate().map(item).collect();
        Self::Text(json!({ "object": "list", "data": data, "usage": { "prompt_tokens": 8 } }).to_string())
    }
}

/// A running test server.
#[derive(Debug)]
pub(crate) struct StandIn {
    /// Base URL, for `embedding.url` of a policy.
    pub(crate) url: String,
    /// The received requests, oldest first.
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl StandIn {
    /// Starts the server. `reply` returns the response to each request, given its number from 0. Runs until the process
    /// exits.
    pub(crate) fn answering(reply: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (reply, known) = (Arc::new(reply), Arc::clone(&asked));
        thread::spawn(move || {
            for connection in listener.incoming() {
                let (reply, known) = (Arc::clone(&reply), Arc::clone(&known));
                // The client may have disconnected.
                thread::spawn(move || drop(serve(connection.unwrap(), reply.as_ref(), &known)));
            }
        });
        Self { url, asked }
    }

    /// Returns the requests received so far, oldest first.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// Reads a request, records it in `known`, and sends the response that `reply` returns for it.
fn serve(
    mut connection: TcpStream,
    reply: &dyn Fn(&Asked, usize) -> Reply,
    known: &Mutex<Vec<Asked>>,
) -> std::io::Result<()> {
    let asked = read(&mut connection)?;
    let number = {
        let mut known = known.lock().unwrap();
        known.push(asked.clone());
        known.len() - 1
    };
    let (status, headers, body) = match reply(&asked, number) {
        Reply::Text(text) => (200, "", text.into_bytes()),
        Reply::Status(status, headers, text) => (status, headers, text.as_bytes().to_vec()),
        Reply::Flood(bytes) => (200, "", vec![b' '; bytes]),
        Reply::Silence => {
            // Longer than any test is willing to wait.
            thread::sleep(Duration::from_mins(10));
            return Ok(());
        }
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n");
    connection.write_all(head.as_bytes())?;
    connection.write_all(&body)
}

/// Reads a request with its body; the length is that of the `Content-Length` header, 0 without one.
fn read(connection: &mut TcpStream) -> std::io::Result<Asked> {
    let mut reader = BufReader::new(connection);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let length = head.iter().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Asked { head, body: serde_json::from_slice(&body).unwrap_or_default() })
}
