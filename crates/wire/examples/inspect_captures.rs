//! Inspects a folder of captured requests and prints the lineage, the messages, the requirements and the sizes of each.
//!
//! `cargo run -p wire --example inspect_captures -- <folder>`; each file is JSON with `path`, `headers` (a list of
//! pairs) and `body`.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::{env, error::Error, fs};

use contracts::WireApi;
use serde_json::Value;
use wire::{ClientHeaders, inspect, resolve_lineage};

/// Returns the API of a request path; `None` for other paths.
fn api_of(path: &str) -> Option<WireApi> {
    let path = path.split('?').next().unwrap_or_default();
    match path {
        "/v1/messages" | "/v1/messages/count_tokens" => Some(WireApi::AnthropicMessages),
        "/v1/chat/completions" => Some(WireApi::OpenAiChat),
        "/v1/responses" => Some(WireApi::OpenAiResponses),
        _ if path.ends_with("generateContent") || path.ends_with("GenerateContent") => Some(WireApi::Gemini),
        _ => None,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("usage: inspect_captures <folder>")?;
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    files.sort_by_key(fs::DirEntry::path);
    for file in files {
        let capture: Value = serde_json::from_slice(&fs::read(file.path())?)?;
        let path = capture["path"].as_str().unwrap_or_default();
        println!("== {} {path}", file.file_name().to_string_lossy());
        let pairs = capture["headers"].as_array().into_iter().flatten();
        let headers =
            ClientHeaders::parse(pairs.filter_map(|pair| Some((pair.get(0)?.as_str()?, pair.get(1)?.as_str()?))));
        let body = capture["body"].to_string();
        let read = match api_of(path).filter(|_| capture["body"].is_object()) {
            Some(api) => Some(inspect(api, body.as_bytes())?),
            None => None,
        };
        println!("   {:?}", resolve_lineage(&headers, read.as_ref().map(|read| &read.identity)));
        let Some(read) = read else { continue };
        println!("   {} model={:?} stream={} side={:?}", read.api, read.model, read.stream, read.auxiliary_call);
        println!("   continues={} results={:?} requires={:?}", read.continues_turn, read.tool_results, read.requires);
        println!("   needs={:?} {:?} max_output={:?}", read.needs, read.prompt, read.max_output);
        for message in &read.user_messages {
            let text: String = message.text.chars().take(70).collect();
            println!("   user: {text:?} {:?}", message.span);
        }
    }
    Ok(())
}
