//! Processor time of inspecting requests and responses, of editing a request, and of filtering the usage of a stream.
//! The bodies are modelled on those of real clients.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

#[path = "../tests/suite/bodies.rs"]
#[expect(dead_code, reason = "the tests use all of them")]
mod bodies;

use std::{fmt::Write as _, hint::black_box};

use contracts::WireApi;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use processor_time::ProcessorTime;
use serde_json::Value;
use wire::{ResponseInspector, UsageFilter, apply_edits, inspect, set_model};

/// Measures the inspection of one request of each client, and the edit that replaces the model.
fn reading(criterion: &mut Criterion<ProcessorTime>) {
    let cases: [(&str, WireApi, Value); 6] = [
        ("claude_code", WireApi::AnthropicMessages, bodies::claude_code_main("fix the basket")),
        ("claude_code_continued", WireApi::AnthropicMessages, bodies::claude_code_continued("fix the basket")),
        ("codex", WireApi::OpenAiResponses, bodies::codex_continued("fix the basket")),
        ("opencode", WireApi::OpenAiChat, bodies::opencode("fix the basket")),
        ("gemini_cli", WireApi::Gemini, bodies::gemini_cli("fix the basket")),
        ("small_chat", WireApi::OpenAiChat, bodies::small_chat()),
    ];
    let mut group = criterion.benchmark_group("inspect");
    for (name, api, body) in cases {
        let body = body.to_string();
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_function(format!("{name}_{}_bytes", body.len()), |bencher| {
            bencher.iter(|| inspect(api, black_box(body.as_bytes())).unwrap());
        });
    }
    group.finish();
    let body = bodies::claude_code_main("fix the basket").to_string();
    criterion.bench_function("rename_model_of_claude_code", |bencher| {
        let read = inspect(WireApi::AnthropicMessages, body.as_bytes()).unwrap();
        bencher.iter(|| {
            apply_edits(black_box(body.as_bytes()), set_model(&read, "claude-haiku-4-5").into_iter().collect())
        });
    });
}

/// Measures the inspection and the usage filter of a stream of 1,000 chunks, which arrives in TCP segments of 1,460
/// bytes.
fn watching(criterion: &mut Criterion<ProcessorTime>) {
    let mut stream = String::new();
    for index in 0..1_000 {
        let chunk = r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}],"usage":null}"#;
        write!(stream, "data: {chunk}\n\n: {index}\n\n").unwrap();
    }
    stream.push_str(
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1000}}\n\ndata: [DONE]\n\n",
    );
    let mut group = criterion.benchmark_group("stream_of_1000_chunks");
    group.throughput(Throughput::Bytes(stream.len() as u64));
    group.bench_function("watch", |bencher| {
        bencher.iter(|| {
            let mut watcher = ResponseInspector::new(WireApi::OpenAiChat, true);
            stream.as_bytes().chunks(1_460).for_each(|piece| watcher.feed(black_box(piece)));
            watcher.finish()
        });
    });
    group.bench_function("hide_usage", |bencher| {
        let mut out = Vec::with_capacity(stream.len());
        bencher.iter(|| {
            let mut hider = UsageFilter::new();
            out.clear();
            stream.as_bytes().chunks(1_460).for_each(|piece| hider.feed(black_box(piece), &mut out));
            hider.finish(&mut out);
        });
    });
    group.finish();
}

criterion_group!(name = benches; config = ProcessorTime::criterion(); targets = reading, watching);
criterion_main!(benches);
