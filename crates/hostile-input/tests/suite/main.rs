//! Runs the fuzz targets on their corpora and on seeded mutations of them.
#![expect(clippy::print_stdout, reason = "the counts are the output")]

use std::{fs, path::Path, time::Instant};

use hostile_input::{FUZZ_TARGETS, mutate};

/// Number of mutations of each corpus file.
const MUTATIONS: u64 = 60;

/// No fuzz target panics on a file of its corpus or on a seeded mutation of one. Every corpus has at least four files.
#[test]
fn all_inputs_and_their_mutations_are_processed_without_a_panic() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut counts = Vec::new();
    for (name, body) in FUZZ_TARGETS {
        let mut paths: Vec<_> = fs::read_dir(corpora.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(3 < paths.len(), "the corpus of `{name}` is missing");
        let (mut inputs, begin) = (0_u64, Instant::now());
        for (number, path) in (0..).zip(&paths) {
            println!("{}", path.display());
            let input = fs::read(path).unwrap();
            body(&input);
            for mutation in 0..MUTATIONS {
                let mut random = fastrand::Rng::with_seed(number << 32 | mutation);
                let edits = random.usize(1..=4);
                let steps: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(edits * 5).collect();
                body(&mutate(&input, &steps));
            }
            inputs += MUTATIONS + 1;
        }
        counts.push(format!("{name} {inputs} inputs in {:.1} s", begin.elapsed().as_secs_f32()));
    }
    println!("kept: corpora: {}; no panic", counts.join(", "));
}
