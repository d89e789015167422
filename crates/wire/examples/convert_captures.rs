//! Converts captured requests to every other API: `cargo run -p wire --example convert_captures -- <folder>`.
//!
//! The folder contains JSON files with `path` and `body`. The table has, for each file and API, the result of the
//! conversion: its length, or the error.
#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use std::{collections::BTreeSet, error::Error, path::Path};

use contracts::{Requirement, WireApi};
use serde_json::Value;
use wire::{ConversionOptions, convert_request};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder of captured requests")?;
    let mut files: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|it| it == "json")) {
        let capture: Value = serde_json::from_slice(&std::fs::read(file)?)?;
        let path = capture["path"].as_str().unwrap_or_default();
        let Some(from) = api_of(path).filter(|_| capture["body"].is_object()) else { continue };
        let body = serde_json::to_vec(&capture["body"])?;
        println!("{} ({} bytes)", name_of(file), body.len());
        for to in WireApi::ALL.into_iter().filter(|to| *to != from) {
            println!("  {from} -> {to}: {}", tried(from, to, &body));
        }
    }
    Ok(())
}

/// Returns the name of a file without its extension.
fn name_of(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the API of a request path; `None` for other paths.
fn api_of(path: &str) -> Option<WireApi> {
    let path = path.split('?').next()?;
    if path.ends_with("/messages") {
        Some(WireApi::AnthropicMessages)
    } else if path.ends_with("/chat/completions") {
        Some(WireApi::OpenAiChat)
    } else if path.ends_with("/responses") {
        Some(WireApi::OpenAiResponses)
    } else if path.ends_with("enerateContent") {
        Some(WireApi::Gemini)
    } else {
        None
    }
}

/// Converts a body from one API to another and describes the result: the length and the dropped features, or the error.
fn tried(from: WireApi, to: WireApi, body: &[u8]) -> String {
    let may_drop = BTreeSet::from(Requirement::ADAPTABLE);
    let conversion = ConversionOptions {
        from,
        to,
        model: "a-model",
        stream: true,
        may_drop: &may_drop,
        max_output: 32_000,
        accepts_effort: true,
        newer_chat: true,
    };
    match convert_request(&conversion, body) {
        Ok(converted) if converted.dropped.is_empty() => format!("{} bytes, nothing dropped", converted.body.len()),
        Ok(converted) => {
            let dropped: Vec<_> = converted.dropped.iter().map(|requirement| requirement.name()).collect();
            format!("{} bytes without {}", converted.body.len(), dropped.join(", "))
        }
        Err(error) => error.to_string(),
    }
}
