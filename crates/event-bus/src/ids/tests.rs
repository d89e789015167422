//! Tests of the map from ids to positions: in memory, in files, and while no file can be written.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Creates an id that is a hash, as those of events are.
fn hashed(number: u64) -> EventId {
    EventId::derive(&[&number.to_le_bytes()])
}

#[test]
fn ids_with_equal_short_keys_are_kept_apart() {
    let id = |last| EventId([7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, last]);
    let mut ids = IdIndex::new(Path::new("unused"));
    assert_eq!(ids.candidates(id(1)).unwrap(), []);
    ids.add(id(1), Position(1));
    ids.add(id(2), Position(2));
    assert_eq!(ids.candidates(id(1)).unwrap(), [Position(1)]);
    assert_eq!(ids.candidates(id(2)).unwrap(), [Position(1), Position(2)], "the caller compares the whole id");
    assert_eq!(ids.candidates(id(3)).unwrap(), [Position(1)]);
}

#[test]
fn ids_that_left_memory_are_found_and_new_ids_read_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let mut ids = IdIndex::with_max_in_memory(directory.path(), 1_000);
    for number in 1..=26_500 {
        ids.add(hashed(number), Position(number));
    }
    // 26 times a thousand ids: 16, 8 and 2 thousand.
    let sizes: Vec<_> = ids.runs.iter().map(Run::len).collect();
    assert_eq!((sizes, ids.latest.len()), (vec![16_000, 8_000, 2_000], 500));
    for number in 1..=26_500 {
        assert!(ids.candidates(hashed(number)).unwrap().contains(&Position(number)), "{number}");
    }
    let unknown = (30_000..130_000).map(hashed);
    let reads = unknown.clone().filter(|id| ids.runs.iter().any(|run| run.may_contain(short_key(*id)))).count();
    assert!(reads < 6_000, "{reads} of 100,000 lookups of new ids read a file");
    let found: usize = unknown.map(|id| ids.candidates(id).unwrap().len()).sum();
    assert!(found < 10, "{found} positions for 100,000 new ids");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "the files have no names");
}

#[test]
fn ids_stay_in_memory_while_no_file_can_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing");
    let mut ids = IdIndex::with_max_in_memory(&missing, 100);
    (1..=250).for_each(|number| ids.add(hashed(number), Position(number)));
    assert_eq!((ids.runs.len(), ids.latest.len()), (0, 250));
    std::fs::create_dir(&missing).unwrap();
    (251..=300).for_each(|number| ids.add(hashed(number), Position(number)));
    assert_eq!((ids.runs.len(), ids.latest.len()), (1, 0));
    for number in 1..=300 {
        assert_eq!(ids.candidates(hashed(number)).unwrap(), [Position(number)]);
    }
}

proptest! {
    /// Ids of three byte values collide often, and positions beyond 32 bits stay in memory.
    #[test]
    fn every_added_id_is_found_at_its_position(
        added in proptest::collection::btree_map(proptest::array::uniform16(0_u8..3), 1_u64..1 << 40, 0..400),
        max_in_memory in 1_usize..50,
    ) {
        let added: BTreeMap<_, _> = added.into_iter().map(|(id, at)| (EventId(id), Position(at))).collect();
        let directory = tempfile::tempdir().unwrap();
        let mut ids = IdIndex::with_max_in_memory(directory.path(), max_in_memory);
        for (id, position) in &added {
            ids.add(*id, *position);
        }
        for (id, position) in &added {
            prop_assert!(ids.candidates(*id).unwrap().contains(position));
        }
    }
}
