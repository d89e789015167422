//! [`KeyRedactor`], which replaces the API keys of providers in everything that is received from them.

mod forms;

use std::{collections::BTreeSet, fmt, ops::Range, sync::Arc};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use hyper::{
    HeaderMap,
    body::Bytes,
    header::{HeaderName, HeaderValue},
};

use forms::forms_of_key;

/// The byte that replaces each byte of a key, so that lengths do not change.
const MASK: u8 = b'*';

/// Replaces API keys in received bytes by asterisks, also if they are encoded. Clones share the keys.
#[derive(Clone, Default)]
pub(crate) struct KeyRedactor(Option<Arc<KeySearch>>);

/// Searches bytes for the configured API keys, in every form in which a response may contain them.
struct KeySearch {
    /// The keys, unencoded and in the usual encodings.
    forms: Vec<Vec<u8>>,
    /// Searches all forms at once; `None` if they are too long for it, so that each is searched on its own.
    automaton: Option<AhoCorasick>,
    /// Whether a form begins with this byte.
    begins: [bool; 256],
    /// Whether a form contains this byte.
    contains: [bool; 256],
    /// The length of the longest form, in bytes.
    longest: usize,
}

impl fmt::Debug for KeyRedactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyRedactor({})", self.0.as_ref().map_or(0, |search| search.forms.len()))
    }
}

impl KeySearch {
    /// Creates the search for forms of keys, of which there is at least one.
    fn new(forms: Vec<Vec<u8>>) -> Self {
        // Its memory is a few bytes for each byte of the forms.
        let automaton = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(&forms).ok();
        let (mut begins, mut contains) = ([false; 256], [false; 256]);
        for form in &forms {
            if let Some(first) = form.first() {
                begins[usize::from(*first)] = true;
            }
            for byte in form {
                contains[usize::from(*byte)] = true;
            }
        }
        let longest = forms.iter().map(Vec::len).max().unwrap_or(0);
        Self { forms, automaton, begins, contains, longest }
    }

    /// Returns the ranges of all forms in `bytes`. They may overlap.
    fn find_all(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let Some(automaton) = &self.automaton else {
            let ranges_of_form = |form: &Vec<u8>| {
                let length = form.len();
                memchr::memmem::find_iter(bytes, form).map(move |start| start..start + length).collect::<Vec<_>>()
            };
            return self.forms.iter().flat_map(ranges_of_form).collect();
        };
        automaton.find_overlapping_iter(bytes).map(|form_match| form_match.range()).collect()
    }

    /// Returns the length in bytes of the longest end of `bytes` that may be the start of a form.
    fn partial_bytes(&self, bytes: &[u8]) -> usize {
        let tail = bytes.get(bytes.len().saturating_sub(self.longest)..).unwrap_or_default();
        // No form extends over a byte that is in none, such as the line feed at the end of an event.
        let start = tail.iter().rposition(|byte| !self.contains[usize::from(*byte)]).map_or(0, |last| last + 1);
        let is_start = |rest: &[u8]| {
            rest.first().is_some_and(|first| self.begins[usize::from(*first)])
                && self.forms.iter().any(|form| rest.len() < form.len() && form.starts_with(rest))
        };
        (start..tail.len()).find(|start| is_start(&tail[*start..])).map_or(0, |start| tail.len() - start)
    }
}

impl KeyRedactor {
    /// Creates a redactor of API keys. Keys that are shorter than 8 bytes are not replaced.
    pub(crate) fn new<'a>(keys: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let forms: BTreeSet<_> = keys.into_iter().flat_map(forms_of_key).collect();
        Self((!forms.is_empty()).then(|| Arc::new(KeySearch::new(forms.into_iter().collect()))))
    }

    /// Returns bytes with all API keys in them replaced by asterisks. The length stays the same.
    pub(crate) fn redact(&self, bytes: Bytes) -> Bytes {
        let Some(search) = &self.0 else { return bytes };
        let key_ranges = search.find_all(&bytes);
        if key_ranges.is_empty() {
            return bytes;
        }
        let mut redacted = bytes.to_vec();
        for range in key_ranges {
            if let Some(key) = redacted.get_mut(range) {
                key.fill(MASK);
            }
        }
        redacted.into()
    }

    /// Replaces the API keys in the values of headers.
    pub(crate) fn redact_headers(&self, headers: &mut HeaderMap) {
        let Some(search) = &self.0 else { return };
        for value in headers.values_mut() {
            if !search.find_all(value.as_bytes()).is_empty() {
                let redacted = self.redact(Bytes::copy_from_slice(value.as_bytes()));
                *value = HeaderValue::from_bytes(&redacted).unwrap_or(HeaderValue::from_static("*"));
            }
        }
    }

    /// Returns the length in bytes of the longest end of `bytes` that may be the start of a key.
    fn partial_key_bytes(&self, bytes: &[u8]) -> usize {
        self.0.as_ref().map_or(0, |search| search.partial_bytes(bytes))
    }
}

/// Replaces API keys in a stream of chunks. A key may extend over several chunks, so the end of a chunk that may be the
/// start of a key is held back.
#[derive(Debug, Default)]
pub(crate) struct StreamRedactor {
    /// The keys to replace.
    keys: KeyRedactor,
    /// The end of the last chunk, which may be the start of a key.
    held: Bytes,
}

impl StreamRedactor {
    /// Creates a redactor for one stream that has read nothing.
    pub(crate) const fn new(keys: KeyRedactor) -> Self {
        Self { keys, held: Bytes::new() }
    }

    /// Reads the next chunk and returns the bytes that can be forwarded, with keys replaced. They may be none.
    pub(crate) fn feed(&mut self, chunk: Bytes) -> Bytes {
        let bytes = if self.held.is_empty() { chunk } else { [&*self.held, &*chunk].concat().into() };
        let mut bytes = self.keys.redact(bytes);
        let complete = bytes.len() - self.keys.partial_key_bytes(&bytes);
        self.held = bytes.split_off(complete);
        bytes
    }

    /// Returns the bytes that were held back, at the end of the stream.
    pub(crate) fn finish(&mut self) -> Bytes {
        std::mem::take(&mut self.held)
    }
}

/// Returns the headers whose names `is_allowed` accepts, except headers listed in `Connection`.
pub fn allowed_headers(headers: &HeaderMap, is_allowed: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let connection_headers: Vec<_> = headers
        .get_all(hyper::header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let is_forwarded =
        |name: &HeaderName| is_allowed(name) && !connection_headers.iter().any(|listed| listed == name.as_str());
    let forwarded_headers = headers.iter().filter(|(name, _)| is_forwarded(name));
    forwarded_headers.map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use hyper::body::Bytes;

    use super::{KeyRedactor, StreamRedactor};

    const TEXT: &str = "data: sk-secret-1 and sk-secret-22, sk-sec, sk-secret-sk-secret-1; key-of-another s";

    fn keys() -> KeyRedactor {
        KeyRedactor::new([&b"sk-secret-1"[..], b"sk-secret-22", b"key-of-another", b"short"])
    }

    #[test]
    fn keys_are_replaced_by_asterisks_of_the_same_length() {
        let redacted = keys().redact(Bytes::from_static(TEXT.as_bytes()));
        assert_eq!(redacted, "data: *********** and ************, sk-sec, sk-secret-***********; ************** s");
    }

    #[test]
    fn a_key_is_replaced_however_the_stream_is_divided_and_nothing_else_changes() {
        let expected = keys().redact(Bytes::from_static(TEXT.as_bytes()));
        for size in 1..TEXT.len() {
            let (mut stream, mut out) = (StreamRedactor::new(keys()), Vec::new());
            for chunk in TEXT.as_bytes().chunks(size) {
                out.extend_from_slice(&stream.feed(Bytes::copy_from_slice(chunk)));
            }
            out.extend_from_slice(&stream.finish());
            assert_eq!(out, expected, "in chunks of {size}");
        }
    }

    /// The encoded forms of a key, also within a longer text, and divided over chunks.
    #[test]
    fn an_encoded_key_is_replaced_however_the_stream_is_divided() {
        let text = "a sk%2Dsecret%2D1 sk%2dsecret%2d1, \\u0073\\u006b\\u002d\\u0073\\u0065\\u0063\\u0072\\u0065\\u0074\\u002d\\u0031 \
                    736b2d7365637265742d31, dXNlcjpzay1zZWNyZXQtMQ== c2stc2VjcmV0LTE= end";
        let expected = keys().redact(Bytes::from_static(text.as_bytes()));
        let expected = std::str::from_utf8(&expected).unwrap();
        for secret in ["%2Dsecret", "\\u0073\\u006b", "736b2d", "c2stc2VjcmV0", "ay1zZWNyZXQ"] {
            assert!(text.contains(secret) && !expected.contains(secret), "{secret}: {expected}");
        }
        assert!(expected.starts_with("a *") && expected.ends_with(" end"), "{expected}");
        for size in 1..text.len() {
            let (mut stream, mut out) = (StreamRedactor::new(keys()), Vec::new());
            for chunk in text.as_bytes().chunks(size) {
                out.extend_from_slice(&stream.feed(Bytes::copy_from_slice(chunk)));
            }
            out.extend_from_slice(&stream.finish());
            assert_eq!(std::str::from_utf8(&out).unwrap(), expected, "in chunks of {size}");
        }
    }

    #[test]
    fn the_end_of_an_event_is_not_held_back() {
        let mut stream = StreamRedactor::new(keys());
        assert_eq!(stream.feed(Bytes::from_static(b"data: hello\n\n")), "data: hello\n\n");
        assert_eq!(stream.feed(Bytes::from_static(b"data: sk-se")), "data: ");
    }
}
