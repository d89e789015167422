//! Benchmarks the ranking of 200 skills for a short and a long text, and the training of the ranker.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use processor_time::ProcessorTime;
use skills::{Skill, SkillIndex, SkillRanker, TrainingRequest};

/// The number of skills.
const SKILLS: u64 = 200;

/// A reproducible generator of texts (a linear congruential generator, so that published figures stay comparable).
struct Words(u64);

impl Words {
    /// Returns a pseudorandom number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Returns a text of `count` words, a third of them from the vocabulary of one skill.
    fn text(&mut self, skill: u64, count: u64) -> String {
        let mut text = String::new();
        for _ in 0..count {
            let word = if self.below(3) == 0 { 10_000 + skill * 50 + self.below(50) } else { self.below(3_000) };
            // Letters, as in words of about seven characters.
            for place in 0..7 {
                let letter = (word.wrapping_mul(2_654_435_761) >> (4 * place)) % 26;
                text.push(char::from(b'a' + u8::try_from(letter).unwrap()));
            }
            text.push(' ');
        }
        text
    }
}

/// Measures rankings after training on 3,000 requests, and the training.
fn rank(criterion: &mut Criterion<ProcessorTime>) {
    let mut words = Words(42);
    let skill = |words: &mut Words, number: u64| Skill {
        name: format!("skill-{number:03}"),
        description: words.text(number, 20),
        ..Skill::default()
    };
    let index = SkillIndex::new((0..SKILLS).map(|number| skill(&mut words, number)).collect());
    let labelled: Vec<(String, String)> =
        (0..3_000).map(|number| (words.text(number % SKILLS, 12), format!("skill-{:03}", number % SKILLS))).collect();
    let requests: Vec<_> = labelled.iter().map(|(text, skill)| TrainingRequest { text, skill: Some(skill) }).collect();
    let ranker = SkillRanker::train(&index, &requests);
    for (name, count) in [("12 words", 12), ("2 kB", 250)] {
        let texts: Vec<_> = (0..64).map(|number| words.text(number, count)).collect();
        let mut texts = texts.iter().cycle();
        criterion.bench_function(&format!("rank/200 skills, {name}"), |bencher| {
            bencher.iter(|| ranker.rank(black_box(texts.next().unwrap()), 3));
        });
    }
    criterion.bench_function("rank/train on 3000 requests of 200 skills", |bencher| {
        bencher.iter(|| SkillRanker::train(black_box(&index), black_box(&requests)));
    });
}

criterion_group! {
    name = benches;
    config = ProcessorTime::criterion().sample_size(10);
    targets = rank
}
criterion_main!(benches);
