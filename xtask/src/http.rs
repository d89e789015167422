//! Requests over HTTP/1.1 as bytes, one connection each: enough to play a client of the gateway.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

/// For an answer to go on.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    /// With the query.
    pub(crate) path: &'a str,
    /// Beside `host`, `content-length` and, unless it is given, `connection: close`.
    pub(crate) headers: &'a [(String, String)],
    pub(crate) body: &'a str,
}

/// An answer whose head has arrived.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    /// As it comes over the wire, in chunks where it is chunked.
    body: BufReader<TcpStream>,
}

impl Request<'_> {
    /// Sends it to an address such as `http://127.0.0.1:4000`, and waits for the head of the answer.
    pub(crate) fn send(&self, url: &str) -> io::Result<Answer> {
        let host = url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(PATIENCE))?;
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
        Answer::begun(BufReader::new(stream))
    }
}

impl Answer {
    fn begun(mut body: BufReader<TcpStream>) -> io::Result<Self> {
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

    /// The first header of that name, which is in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// All of the body until the connection ends; what is no UTF-8 becomes a replacement character.
    pub(crate) fn rest(mut self) -> io::Result<String> {
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
    fn a_request_is_sent_whole_and_its_answer_read_to_the_end() {
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
        let answer = request.send(&url).unwrap();
        assert_eq!((answer.status, answer.header("x-turnwise-turn")), (426, Some("t")));
        assert_eq!(answer.rest().unwrap(), "no");
        let sent = server.join().unwrap();
        assert!(sent.starts_with("POST /v1?a=b HTTP/1.1\r\nhost: 127.0.0.1:"), "{sent}");
        assert!(sent.ends_with("connection: close\r\ncontent-length: 2\r\nx-api-key: k\r\n\r\n{}"), "{sent}");
    }
}
