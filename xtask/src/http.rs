//! A minimal HTTP/1.1 client with one connection per request, which simulates clients of the gateway.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

/// The time limit for each read from the connection.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// An HTTP request to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The HTTP method, in upper case.
    pub(crate) method: &'a str,
    /// Path and query.
    pub(crate) path: &'a str,
    /// Headers in addition to `host`, `content-length` and, unless it is among these, `connection: close`.
    pub(crate) headers: &'a [(String, String)],
    /// The body; empty for a request without one.
    pub(crate) body: &'a str,
}

/// An HTTP response whose status and headers have been read.
#[derive(Debug)]
pub(crate) struct Response {
    /// The status code.
    pub(crate) status: u16,
    /// The headers in order, with names in lower case.
    headers: Vec<(String, String)>,
    /// The raw body, including the framing of a chunked one.
    body: BufReader<TcpStream>,
}

impl Request<'_> {
    /// Sends the request to a base URL such as `http://127.0.0.1:4000` and reads the head of the response. Fails if the
    /// connection does, or if no valid head is received.
    pub(crate) fn send(&self, url: &str) -> io::Result<Response> {
        let host = url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        stream.set_nodelay(true)?;
        let mut head = format!("{} {} HTTP/1.1\r\nhost: {host}\r\n", self.method, self.path);
        if !self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("connection")) {
            head.push_str("connection: close\r\n");
        }
        if !self.body.is_empty() {
            head.extend(["content-length: ", &self.body.len().to_string(), "\r\n"]);
        }
        for (name, value) in self.headers {
            head.extend([name.as_str(), ": ", value.as_str(), "\r\n"]);
        }
        head.push_str("\r\n");
        stream.write_all(&[head.as_bytes(), self.body.as_bytes()].concat())?;
        Response::read_head(BufReader::new(stream))
    }
}

impl Response {
    /// Reads status and headers of a response.
    fn read_head(mut body: BufReader<TcpStream>) -> io::Result<Self> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if body.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            match line.trim_end() {
                "" => break,
                line => lines.push(line.to_owned()),
            }
        }
        let status = lines.first().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let status = status.ok_or(io::ErrorKind::InvalidData)?;
        let header = |line: &String| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        Ok(Self { status, headers: lines.iter().skip(1).filter_map(header).collect(), body })
    }

    /// Returns the first header with this name, given in lower case; `None` if there is none.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Reads the body until the connection is closed; invalid UTF-8 is replaced.
    pub(crate) fn into_text(mut self) -> io::Result<String> {
        let mut bytes = Vec::new();
        self.body.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, thread};

    use super::*;

    #[test]
    fn request_is_sent_completely_and_response_read_to_the_end() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = vec![0; 1_000];
            let mut length = 0;
            while !request[..length].ends_with(b"{}") {
                length += stream.read(&mut request[length..]).unwrap();
            }
            stream.write_all(b"HTTP/1.1 426 Upgrade Required\r\nX-Turnwise-Turn:  t\r\n\r\nno").unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        });
        let headers = [("x-api-key".to_owned(), "k".to_owned())];
        let request = Request { method: "POST", path: "/v1?a=b", headers: &headers, body: "{}" };
        let response = request.send(&url).unwrap();
        assert_eq!((response.status, response.header("x-turnwise-turn")), (426, Some("t")));
        assert_eq!(response.into_text().unwrap(), "no");
        let sent = server.join().unwrap();
        assert!(sent.starts_with("POST /v1?a=b HTTP/1.1\r\nhost: 127.0.0.1:"), "{sent}");
        assert!(sent.ends_with("connection: close\r\ncontent-length: 2\r\nx-api-key: k\r\n\r\n{}"), "{sent}");
    }
}
