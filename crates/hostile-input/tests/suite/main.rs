//! Runs the fuzz targets on their corpora and on seeded mutations of them.
#![expect(clippy::print_stdout, reason = "the counts are the output")]

use std::{fs, path::Path, time::Instant};

use hostile_input::{ALL, damaged};

/// The number of mutations of each input.
const MUTATIONS: u64 = 60;

/// The generator `SplitMix64`.
struct Numbers(u64);

impl Numbers {
    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count)
            .map(|_| {
                self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut mixed = self.0;
                mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                (mixed ^ (mixed >> 31)).to_le_bytes()[3]
            })
            .collect()
    }
}

#[test]
fn all_inputs_and_their_mutations_are_processed_without_a_panic() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut counts = Vec::new();
    for (name, body) in ALL {
        let mut paths: Vec<_> = fs::read_dir(corpora.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(3 < paths.len(), "the corpus of `{name}` is missing");
        let (mut tried, begin) = (0_u64, Instant::now());
        for (number, path) in (0..).zip(&paths) {
            println!("{}", path.display());
            let input = fs::read(path).unwrap();
            body(&input);
            for mutation in 0..MUTATIONS {
                let mut numbers = Numbers(number << 32 | mutation);
                let count = usize::from(numbers.bytes(1)[0] % 4) + 1;
                body(&damaged(&input, &numbers.bytes(count * 5)));
            }
            tried += MUTATIONS + 1;
        }
        counts.push(format!("{name} {tried} inputs in {:.1} s", begin.elapsed().as_secs_f32()));
    }
    println!("kept: corpora: {}; no panic", counts.join(", "));
}
