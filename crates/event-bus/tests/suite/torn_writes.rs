//! Single damages in every file of a log. Each results in a complete log, a truncated unfinished write, a repair, or an
//! error with the position.
//!
//! `expected` computes the required outcome of each case from the bytes, without the code under test.

mod check;
mod damages;
mod expected;
mod matrix;
mod original;
use crate::support::times;
use damages::{FrameDamage, SectorDamage, cuts, flip, sectors};
use fastrand::Rng;
use matrix::{Class, Matrix};
use original::{Original, Witnesses};

/// Number of barriers in the original log, of about four events each.
const BARRIERS: usize = 17;

/// One case in this many is also verified, looked up by every id, opened again, and repaired if it was refused.
const THOROUGH: usize = 7;

/// Returns which other files the n-th case has. Every other case has none, so that everything depends on the journal.
fn witnesses(number: usize) -> Witnesses {
    if number.is_multiple_of(2) { Witnesses::Neither } else { Witnesses::ALL[1 + number / 2 % 4] }
}

/// A journal of any length opens with its complete batches, or is refused if `HEAD` or the index proves that events are
/// missing.
#[test]
fn a_journal_cut_anywhere_is_cut_further_or_refused() {
    let (original, mut matrix) = (Original::of(BARRIERS), Matrix::default());
    for (number, cut) in (0..).zip(cuts(&original, &mut Rng::with_seed(1))) {
        for (turn, witnesses) in [Witnesses::Neither, witnesses(2 * number + 1)].into_iter().enumerate() {
            let thorough = (number + turn * 2).is_multiple_of(THOROUGH);
            let name = format!("cut at {cut}");
            check::journal(&original, &original.journal[..cut], witnesses, thorough, &name, &mut matrix);
        }
    }
    assert!(300 < matrix.of(Class::TailCut) && 300 < matrix.of(Class::Damaged), "{matrix}");
    println!("kept: torn writes, journal cut at every frame boundary, beside it and inside: {matrix}");
}

/// A flipped bit in the journal is refused, or truncated if it is in the last barrier; it is never accepted.
#[test]
fn one_flipped_bit_in_the_journal_is_never_silent() {
    let (original, mut matrix, mut random) = (Original::of(BARRIERS), Matrix::default(), Rng::with_seed(2));
    for number in 0..times(1_100) {
        let mut journal = original.journal.clone();
        let byte = flip(&mut journal, &mut random);
        let name = format!("flip {number}, of byte {byte}");
        in_place(&original, &journal, byte, number, &name, &mut matrix);
    }
    assert!(0 < matrix.of(Class::TailCut), "{matrix}");
    println!("kept: torn writes, one flipped bit in the journal: {matrix}");
}

/// A zeroed, overwritten, swapped or duplicated sector of the journal is refused, or truncated if it is in the last
/// barrier.
#[test]
fn a_sector_of_the_journal_that_is_not_as_written_is_never_silent() {
    let (original, mut matrix, mut random) = (Original::of(BARRIERS), Matrix::default(), Rng::with_seed(3));
    for number in 0..times(2) {
        for sector in 0..sectors(&original.journal) {
            for damage in SectorDamage::ALL {
                let mut journal = original.journal.clone();
                let Some(byte) = damage.apply(&mut journal, sector, &mut random) else { continue };
                let name = format!("sector {sector} {damage:?}");
                in_place(&original, &journal, byte, number + matrix.cases(), &name, &mut matrix);
            }
        }
    }
    println!("kept: torn writes, journal sectors zeroed, garbage, swapped or doubled: {matrix}");
}

/// Checks a journal whose bytes differ from offset `byte` on: it is not accepted, and truncated only if the last
/// barrier is damaged.
fn in_place(original: &Original, journal: &[u8], byte: usize, number: usize, name: &str, matrix: &mut Matrix) {
    let cut = matrix.of(Class::TailCut);
    check::journal(original, journal, witnesses(number), number.is_multiple_of(THOROUGH), name, matrix);
    // Damage before the last barrier is never truncated.
    assert!(cut == matrix.of(Class::TailCut) || original.last_barrier() <= byte, "{name}: cut");
    assert_eq!(matrix.of(Class::Complete), 0, "{name}: accepted");
}

#[test]
fn frames_swapped_doubled_removed_or_forged_are_refused() {
    let (original, mut matrix) = (Original::of(BARRIERS), Matrix::default());
    for index in 0..original.frames.len() {
        for damage in FrameDamage::ALL {
            let Some(journal) = damage.apply(&original, index) else { continue };
            let number = matrix.cases();
            let name = format!("frame {index} {damage:?}");
            check::journal(&original, &journal, witnesses(number), number.is_multiple_of(THOROUGH), &name, &mut matrix);
        }
    }
    println!("kept: torn writes, frames swapped, doubled, removed or forged: {matrix}");
}

/// With a flipped bit in `HEAD` or the index, the log opens with all events.
#[test]
fn one_flipped_bit_in_head_or_in_the_index_costs_no_event() {
    let (original, mut random) = (Original::of(BARRIERS), Rng::with_seed(4));
    let snapshot = original.snapshot();
    for (file, flips) in [("HEAD", 200), ("index/db", 500), ("index/conf", 60), (&*snapshot, 140)] {
        let mut matrix = Matrix::default();
        for number in 0..times(flips) {
            let case = original.copy(Witnesses::Both);
            let mut byte = 0;
            case.change(file, |bytes| byte = flip(bytes, &mut random));
            let name = format!("flip {number}, of byte {byte} of {file}");
            check::witness(&original, &case, number.is_multiple_of(THOROUGH), &name, &mut matrix);
        }
        let file = if file == snapshot { "index/snap" } else { file };
        println!("kept: torn writes, one flipped bit in {file}: {matrix}");
    }
}

/// With a zeroed, overwritten, swapped or duplicated sector of the index, the log opens with all events.
#[test]
fn a_sector_of_the_index_that_is_not_as_written_costs_no_event() {
    let (original, mut matrix, mut random) = (Original::of(BARRIERS), Matrix::default(), Rng::with_seed(5));
    let sectors = sectors(&original.copy(Witnesses::Both).read("index/db"));
    while matrix.cases() < times(400) {
        let (case, number) = (original.copy(Witnesses::Both), matrix.cases());
        let damage = SectorDamage::ALL[number % 4];
        let sector = random.usize(..sectors);
        case.change("index/db", |bytes| {
            damage.apply(bytes, sector, &mut random);
        });
        let name = format!("sector {sector} of the index {damage:?}");
        check::witness(&original, &case, number.is_multiple_of(THOROUGH), &name, &mut matrix);
    }
    println!("kept: torn writes, index sectors zeroed, garbage, swapped or doubled: {matrix}");
}

/// A missing or empty journal is refused if another file proves that there were events. Without any other file, the log
/// opens with all events.
#[test]
fn a_file_that_is_gone_or_empty_is_missed() {
    let (original, mut matrix) = (Original::of(BARRIERS), Matrix::default());
    for witnesses in Witnesses::ALL {
        check::journal(&original, &[], witnesses, true, "an empty journal", &mut matrix);
        // Without any other file the directory is an empty log.
        if witnesses != Witnesses::Neither {
            check::no_journal(&original, witnesses, &mut matrix);
        }
    }
    let snapshot = original.snapshot();
    for file in ["HEAD", "lock", "index", "index/db", "index/conf", "index/blobs", &snapshot] {
        for empty in [false, true] {
            let case = original.copy(Witnesses::Both);
            match (empty, file) {
                // sled has no blobs here, so the directory is empty already.
                (true, "index/blobs") => continue,
                (true, "index") => case.forget(&[file]).make_directory(file),
                (true, _) => case.write(file, b""),
                (false, _) => case.forget(&[file]),
            };
            let what = if empty { "empty" } else { "gone" };
            check::witness(&original, &case, true, &format!("{file} is {what}"), &mut matrix);
        }
    }
    println!("kept: torn writes, files removed or empty: {matrix}");
}
