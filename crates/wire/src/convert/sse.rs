//! Server-sent events, read from bytes in whatever pieces they come.

use super::ConvertError;

/// The largest event that is read, in bytes. A whole answer in one event is smaller.
const LARGEST_EVENT_BYTES: usize = 64 << 20;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerEvent {
    pub(crate) name: Option<String>,
    pub(crate) data: String,
}

/// Cuts a stream of bytes into events.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    line: Vec<u8>,
    name: Option<String>,
    data: Option<String>,
    /// Whether a line feed would belong to the line that has ended.
    after_return: bool,
}

impl EventReader {
    /// The next event in `bytes`, which moves on behind it; `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] for bytes that are not UTF-8 and for an event of more than 64 MiB.
    pub(crate) fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<ServerEvent>, ConvertError> {
        while let Some(first) = bytes.first() {
            if std::mem::take(&mut self.after_return) && *first == b'\n' {
                *bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (more, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
            if held.saturating_add(more.len()) > LARGEST_EVENT_BYTES {
                return Err(ConvertError::malformed("the stream", "has an event that is too large"));
            }
            self.line.extend_from_slice(more);
            let Some((ending, rest)) = rest.split_first() else {
                *bytes = rest;
                return Ok(None);
            };
            self.after_return = *ending == b'\r';
            *bytes = rest;
            if let Some(event) = self.end_line()? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The event that the stream ended in, when its empty line is missing.
    pub(crate) fn rest(&mut self) -> Result<Option<ServerEvent>, ConvertError> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        Ok(self.take())
    }

    fn end_line(&mut self) -> Result<Option<ServerEvent>, ConvertError> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return Ok(self.take());
        }
        let line = String::from_utf8(line).map_err(|_| ConvertError::malformed("the stream", "is not UTF-8"))?;
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = Some(value.to_owned()),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            // Comments, ids and times to wait say nothing of the answer.
            _ => {}
        }
        Ok(None)
    }

    fn take(&mut self) -> Option<ServerEvent> {
        let name = self.name.take();
        self.data.take().map(|data| ServerEvent { name, data })
    }
}

/// Writes one event.
pub(crate) fn write(out: &mut Vec<u8>, name: Option<&str>, data: &serde_json::Value) {
    if let Some(name) = name {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(name.as_bytes());
        out.push(b'\n');
    }
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(data.to_string().as_bytes());
    out.extend_from_slice(b"\n\n");
}
