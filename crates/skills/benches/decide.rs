//! The duration of a skill choice with many skills, and of the preparation of an index.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use processor_time::ProcessorTime;
use skills::{Skill, SkillIndex, SkillRequest, SkillRouter, SkillSettings, SkillSources, decide};

/// The number of keywords of each skill.
const KEYWORDS: usize = 20;
/// The length of the request in bytes.
const REQUEST_BYTES: usize = 2_048;
/// A part of the request. None of its words is a keyword.
const SENTENCE: &str = "The checkout page shows a wrong total when a voucher is applied twice, and the user goes back to the \
    basket; please find the sum in src/cart/total.ts and change as little as possible. ";

/// Returns `count` skills with [`KEYWORDS`] keywords each, of one to three words.
fn skills(count: usize) -> SkillSources {
    let skill = |number: usize| Skill {
        name: format!("skill-{number}"),
        description: format!("Handles topic {number} of the domain {}.", number % 40),
        keywords: (0..KEYWORDS).map(|keyword| keyword_text(number, keyword)).collect(),
        ..Skill::default()
    };
    SkillSources { index: SkillIndex::new((0..count).map(skill).collect()), ..SkillSources::default() }
}

/// Returns a keyword of a skill: one, two or three words.
fn keyword_text(skill: usize, keyword: usize) -> String {
    match keyword % 3 {
        0 => format!("topic{skill}x{keyword}"),
        1 => format!("voucher topic{skill}x{keyword}"),
        _ => format!("find the topic{skill}x{keyword} again"),
    }
}

/// Returns a request of [`REQUEST_BYTES`] that ends with `end`.
fn request(end: &str) -> String {
    let mut text = SENTENCE.repeat(REQUEST_BYTES / SENTENCE.len() + 1);
    text.truncate(REQUEST_BYTES - end.len());
    text + end
}

/// A decision by keywords, and one in which no keyword occurs, so that all layers are evaluated.
fn decision(criterion: &mut Criterion<ProcessorTime>) {
    for (name, end) in [("keyword", " and find the topic7x2 again"), ("no keyword", "")] {
        let mut group = criterion.benchmark_group(format!("decision of 2 kB, {name}"));
        let text = request(end);
        for count in [200, 2_000] {
            let router = SkillRouter::new(skills(count), SkillSettings::default()).unwrap();
            group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
                bencher.iter(|| decide(&SkillRequest { text: black_box(&text), ..SkillRequest::default() }, &router));
            });
        }
        group.finish();
    }
}

/// The preparation of an index.
fn preparation(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("preparation");
    group.sample_size(10);
    for count in [200, 2_000] {
        let sources = skills(count);
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| SkillRouter::new(sources.clone(), SkillSettings::default()).unwrap());
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = ProcessorTime::criterion();
    targets = decision, preparation
}
criterion_main!(benches);
