//! The duration of routing: a decision, many regular expressions, loading a policy.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::{fmt::Write as _, hint::black_box, sync::Arc};

use contracts::{
    Capabilities, ModelSpec, Registry, Tier, Tokenizer,
    views::{NoPatterns, Outages, Views},
};
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use processor_time::ProcessorTime;
use router_core::{Policy, Scenario, StatedTurn, decide};

/// A typical message, 297 bytes.
const MESSAGE: &str = "The checkout page shows a wrong total when a voucher is applied twice and the user goes back to the \
    basket. Please find out where the sum is computed, write a test that shows the problem, and then change as little \
    as possible so that it passes. Do not touch the styles, and tell me what you would do next.";

/// Returns a registry with one model for each tier.
fn registry() -> Arc<Registry> {
    let model = |id: &str, alias: &str, tier| ModelSpec {
        id: id.try_into().unwrap(),
        provider: "anthropic".try_into().unwrap(),
        tier: Some(tier),
        aliases: vec![alias.to_owned()],
        released: None,
        context_window: 200_000,
        max_output: 64_000,
        capabilities: Capabilities { images: true, ..Capabilities::default() },
        tokenizer: Tokenizer::Anthropic,
        prices: None,
        can_delegate: true,
        configured: true,
        apis: Vec::new(),
    };
    let models = [
        model("anthropic:claude-haiku-4-5", "haiku", Tier::Fast),
        model("anthropic:claude-sonnet-4-6", "sonnet", Tier::Balanced),
        model("anthropic:claude-opus-4-7", "opus", Tier::Deep),
    ];
    Arc::new(Registry::new(models).unwrap())
}

/// Returns a policy of `count` rules, none of which matches the message; `when` returns the condition of each.
fn rules(count: usize, when: impl Fn(usize) -> String) -> String {
    let mut text = "schema_version: 1\nglobal_default: sonnet\nrules:\n".to_owned();
    for index in 0..count {
        let model = ["haiku", "sonnet", "opus"][index % 3];
        writeln!(text, "  - name: \"rule number {index} of many\"").unwrap();
        writeln!(text, "    when: {{{}}}\n    use: {model}", when(index)).unwrap();
    }
    text
}

/// Returns a condition; five kinds of conditions in rotation.
fn mixed(index: usize) -> String {
    match index % 5 {
        0 => format!("message_matches: \"^/command-{index}|write.*release {index}\""),
        1 => format!("message_contains_any: [\"topic {index}\", \"subject {index}\", \"system design {index}\"]"),
        2 => format!("estimated_input_tokens_gt: {}", 100_000 + index),
        3 => format!("any_of: [{{message_matches: \"(migration|schema) {index}\"}}, {{has_images: true}}]"),
        _ => format!("has_tool_calls_in_history: true, not: {{message_contains_any: \"feature {index}\"}}"),
    }
}

/// Loads a valid policy.
fn load(text: &str) -> Policy {
    Policy::load(text, registry(), None).unwrap()
}

/// Creates a turn with this message and no other properties.
fn turn(policy: &Policy, message: &str) -> StatedTurn {
    Scenario::message(message).turn(policy).unwrap()
}

/// Measures a decision under 100 mixed rules, for a short and a long message.
fn decision(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("decision with 100 mixed rules");
    let policy = load(&rules(100, mixed));
    let (outages, long) = (Outages::default(), MESSAGE.repeat(60));
    // 256 KiB, the length to which messages are searched (decision D38).
    let longest = &MESSAGE.repeat(900)[..256 * 1024];
    let messages =
        [("message of 297 bytes", MESSAGE), ("message of 16 KiB", long.as_str()), ("message of 256 KiB", longest)];
    for (name, message) in messages {
        let turn = turn(&policy, message);
        let views = Views { outages: &outages, patterns: &NoPatterns };
        group.bench_function(name, |bench| bench.iter(|| decide(black_box(&turn.turn()), &policy, &views)));
    }
}

/// Returns a condition with a regular expression that does not match the message, although it contains half of it.
fn regular_expression(kind: &str, index: usize) -> String {
    match kind {
        "phrases" => format!("message_matches: '(test|sum) of part {index}'"),
        "words whatever their case" => format!("message_matches: '(?i)\\b(voucher|basket){index}\\b'"),
        "two texts far apart" => format!("message_matches: 'voucher.*part {index}'"),
        _ => format!("message_matches: '[0-9]{{{}}}[a-z]{{{}}}'", 1 + index % 30, 1 + index / 30),
    }
}

/// Measures a decision under 10 to 200 rules with regular expressions, for each kind of expression. A policy of 500
/// is refused: its expressions have too many states.
fn regular_expressions(criterion: &mut Criterion<ProcessorTime>) {
    let kinds = ["phrases", "words whatever their case", "two texts far apart", "without a literal"];
    for kind in kinds {
        let mut group = criterion.benchmark_group(format!("regex rules: {kind}"));
        for count in [10, 100, 200] {
            let policy = load(&rules(count, |index| regular_expression(kind, index)));
            let turn = turn(&policy, MESSAGE);
            let views = Views { outages: &Outages::default(), patterns: &NoPatterns };
            group.bench_function(BenchmarkId::from_parameter(count), |bench| {
                bench.iter(|| decide(black_box(&turn.turn()), &policy, &views));
            });
        }
    }
}

/// Measures loading a policy of 100 rules, and the first decision after it, which compiles what it needs.
fn reading(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("policy of 100 rules");
    let text = rules(100, mixed);
    let registry = registry();
    group.bench_function(format!("parse {} bytes", text.len()), |bench| {
        bench.iter(|| Policy::load(black_box(&text), Arc::clone(&registry), None).unwrap());
    });
    let turn = turn(&load(&text), MESSAGE);
    let views = Views { outages: &Outages::default(), patterns: &NoPatterns };
    group.bench_function("first decision", |bench| {
        bench.iter_batched(|| load(&text), |policy| decide(&turn.turn(), &policy, &views), BatchSize::SmallInput);
    });
}

criterion_group! {
    name = benches;
    config = ProcessorTime::criterion();
    targets = decision, regular_expressions, reading
}
criterion_main!(benches);
