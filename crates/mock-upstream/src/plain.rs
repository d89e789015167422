//! Caches responses, to measure what is in front of the mock.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hyper::body::Bytes;
use memchr::memmem;

use crate::{
    answer::answer,
    asked::ParsedRequest,
    body::ResponseBody,
    connection::ResponseHandle,
    failure::Fault,
    faulty,
    route::{Api, GeminiStream},
    shapes::{events, whole},
};

/// The number of text deltas in a stream.
const PIECES: usize = 20;

/// The number of cached responses; others are built each time.
const MOST: usize = 64;

/// The parts of a request that select a cached response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Glance<'a> {
    pub(crate) model: &'a str,
    stream: bool,
    include_usage: bool,
    how: Option<GeminiStream>,
}

/// Extracts the model and whether to stream without parsing the rest of the body.
pub(crate) fn glance<'a>(body: &'a [u8], gemini: Option<&'a (String, GeminiStream)>) -> Glance<'a> {
    if let Some((model, how)) = gemini {
        return Glance { model, stream: *how != GeminiStream::Whole, include_usage: true, how: Some(*how) };
    }
    let text = |rest: &'a [u8]| {
        let rest = rest.strip_prefix(b"\"")?;
        std::str::from_utf8(rest.split(|byte| *byte == b'"').next()?).ok()
    };
    let yes = |rest: &'a [u8]| rest.starts_with(b"true").then_some(());
    Glance {
        model: field(body, b"\"model\"", text).unwrap_or_default(),
        stream: field(body, b"\"stream\"", yes).is_some(),
        include_usage: field(body, b"\"include_usage\"", yes).is_some(),
        how: None,
    }
}

/// Returns the first value of a member that can be parsed; within a string, the name would have backslashes.
fn field<'a, T>(body: &'a [u8], name: &[u8], read: impl Fn(&'a [u8]) -> Option<T>) -> Option<T> {
    memmem::find_iter(body, name).find_map(|place| {
        let rest = body.get(place + name.len()..)?.trim_ascii_start().strip_prefix(b":")?;
        read(rest.trim_ascii_start())
    })
}

type Key = (String, u8, bool, bool, bool);

/// The cached responses by the requests that they answer.
#[derive(Debug, Default)]
pub(crate) struct Plain(Mutex<BTreeMap<Key, Made>>);

#[derive(Debug, Clone)]
struct Made {
    answer: Arc<crate::answer::Answer>,
    events: Arc<[Bytes]>,
    /// The body of a response that is not streamed.
    all: Bytes,
}

impl Plain {
    /// Returns whether the response is streamed, and its body, from the cache if possible.
    pub(crate) fn answer(
        &self,
        api: Api,
        glance: &Glance<'_>,
        gap: Duration,
        fault: Option<&Fault>,
        way: ResponseHandle,
    ) -> (bool, ResponseBody) {
        let made = self.made(api, glance);
        let events = glance.stream && glance.how != Some(GeminiStream::Array);
        if !glance.stream {
            return (events, faulty::whole(made.all, fault, way));
        }
        if gap.is_zero() && fault.is_none() {
            way.watch.status(200);
            return (events, ResponseBody::parts(vec![crate::body::Part::Data(made.all)], None, way.watch, way.reset));
        }
        (events, faulty::stream(api, &made.answer, made.events.to_vec(), gap, fault, way))
    }

    fn made(&self, api: Api, glance: &Glance<'_>) -> Made {
        let array = glance.how == Some(GeminiStream::Array);
        let key = (glance.model.to_owned(), api as u8, glance.stream, glance.include_usage, array);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = kept.get(&key) {
            return made.clone();
        }
        let made = make(api, glance);
        if kept.len() < MOST {
            kept.insert(key, made.clone());
        }
        made
    }
}

fn make(api: Api, glance: &Glance<'_>) -> Made {
    let text = if glance.stream { format!("LONG:{PIECES}") } else { String::new() };
    let asked = ParsedRequest {
        model: glance.model.to_owned(),
        stream: glance.stream,
        text,
        length: 400,
        ..ParsedRequest::default()
    };
    let answer = answer(asked, 0);
    let (events, all) = if glance.stream {
        let events = events(api, glance.how, &answer, glance.include_usage);
        let all = Bytes::from(events.concat());
        (events, all)
    } else {
        (Vec::new(), Bytes::from(whole(api, &answer).to_string()))
    };
    Made { answer: Arc::new(answer), events: events.into(), all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glance_finds_the_fields_among_texts_that_name_them() {
        let body = br#"{"tools":[{"properties":{"model":{"type":"string"}}}], "messages":"say \"model\":\"no\"",
            "model" : "claude-opus-4-8", "stream": true, "stream_options":{"include_usage":false}}"#;
        let found = glance(body, None);
        assert_eq!(found, Glance { model: "claude-opus-4-8", stream: true, include_usage: false, how: None });
    }

    #[test]
    fn a_glance_at_anything_else_finds_nothing() {
        for body in [&b""[..], b"{", b"\"model\"", b"\"model\":", b"\"model\":\"x", b"\xff\"model\":\"\xff\""] {
            let found = glance(body, None);
            assert!(!found.stream);
            assert!(found.model.is_empty() || found.model == "x");
        }
    }
}
