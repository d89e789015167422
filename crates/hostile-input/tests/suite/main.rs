//! Runs the fuzz targets on their corpora and on seeded mutations of them.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "the counts are the output, and a test may panic")]

mod structure;

use std::{env, fs, path::Path, time::Instant};

use fastrand::Rng;
use hostile_input::{FUZZ_TARGETS, mutate};
use structure::mutate_structure;

/// Number of mutations of the bytes of each corpus file.
const MUTATIONS: u64 = 60;

/// Number of mutations of the JSON of each corpus file of [`STRUCTURED`].
const STRUCTURAL: u64 = 100;

/// The targets whose input contains JSON.
const STRUCTURED: [&str; 3] = ["wire_request", "wire_response", "control"];

/// Prints the input of a target whose body panics.
struct PrintOnPanic<'a>(&'a [u8]);

impl Drop for PrintOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the input is {:?}", String::from_utf8_lossy(self.0));
        }
    }
}

/// Runs a target on one input.
fn run(body: fn(&[u8]), input: &[u8]) {
    let _input = PrintOnPanic(input);
    body(input);
}

/// No fuzz target panics on a file of its corpus or on a seeded mutation of one. Every corpus has at least four files.
/// `TURNWISE_FUZZ_TARGET=control TURNWISE_MUTATIONS=20000` runs one target with as many mutations of each file.
#[test]
fn all_inputs_and_their_mutations_are_processed_without_a_panic() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let only = env::var("TURNWISE_FUZZ_TARGET").ok();
    let requested: Option<u64> = env::var("TURNWISE_MUTATIONS").ok().map(|text| text.parse().unwrap());
    let mut counts = Vec::new();
    for (name, body) in FUZZ_TARGETS {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let mut paths: Vec<_> = fs::read_dir(corpora.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(3 < paths.len(), "the corpus of `{name}` is missing");
        let structural = if STRUCTURED.contains(&name) { requested.unwrap_or(STRUCTURAL) } else { 0 };
        let (mut inputs, begin) = (0_u64, Instant::now());
        for (number, path) in (0..).zip(&paths) {
            println!("{}", path.display());
            let input = fs::read(path).unwrap();
            run(body, &input);
            for mutation in 0..requested.unwrap_or(MUTATIONS) {
                let mut random = Rng::with_seed(number << 32 | mutation);
                let edits = random.usize(1..=4);
                let steps: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(edits * 5).collect();
                run(body, &mutate(&input, &steps));
                inputs += 1;
            }
            for mutation in 0..structural {
                let mut random = Rng::with_seed(1 << 63 | number << 32 | mutation);
                let Some(mutated) = mutate_structure(&input, &mut random) else { continue };
                run(body, &mutated);
                inputs += 1;
            }
            inputs += 1;
        }
        counts.push(format!("{name} {inputs} inputs in {:.1} s", begin.elapsed().as_secs_f32()));
    }
    println!("kept: corpora: {}; no panic", counts.join(", "));
}
