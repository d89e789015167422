//! Tests that incremental updates lead to the same search index as building it.

use contracts::{Features, Score, TurnId};
use event_core::Timestamp;
use proptest::{option, prelude::*};

use super::fixtures::{Turn, config, embedding, model, record, some_features, some_turns};
use crate::{RowId, Sample, Store, search_index::SearchIndex};

/// A change of a store.
#[derive(Debug, Clone)]
enum Step {
    /// Records turns, and one more that later steps can judge.
    Turns(Vec<Turn>),
    /// Replaces the score of a row, or removes it.
    Judged(prop::sample::Index, Option<Score>),
    /// Sets the embedding of a row.
    Embedded(prop::sample::Index, u8),
    /// Evicts rows unchanged since a second, and all but a number of rows.
    Evicted(Option<u64>, u32),
}

/// Generates one change of a store.
fn step() -> impl Strategy<Value = Step> {
    let score = option::of((0..=1_000_000_000_u64).prop_map(Score));
    prop_oneof![
        3 => some_turns().prop_map(Step::Turns),
        3 => (any::<prop::sample::Index>(), score).prop_map(|(row, score)| Step::Judged(row, score)),
        1 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(row, number)| Step::Embedded(row, number)),
        1 => (option::of(0..60_u64), 0..40_u32).prop_map(|(since, keep)| Step::Evicted(since, keep)),
    ]
}

/// A store, with its judged rows and their scores.
#[derive(Default)]
struct JudgedStore {
    /// The store.
    store: Store,
    /// Rows with their scores so far; the rows may have been evicted.
    judged: Vec<(RowId, Option<Score>)>,
    /// The time of the last change, in seconds.
    seconds: u64,
}

impl JudgedStore {
    /// Applies a change; `features` are those of the turn that later steps can judge.
    fn apply(&mut self, step: &Step, features: &Features) {
        self.seconds += 1;
        let at = Timestamp::from_secs(self.seconds);
        match step {
            Step::Turns(turns) => {
                for turn in turns {
                    self.seconds += 1;
                    record(&mut self.store, turn, self.seconds);
                }
                let model = model(turns.len());
                let sample = Sample { turn: TurnId::default(), features, model: &model, cost: None, at };
                let row = self.store.record(sample);
                self.judged.push((row, None));
            }
            Step::Judged(index, now) if !self.judged.is_empty() => {
                let position = index.index(self.judged.len());
                let (row, before) = &mut self.judged[position];
                self.store.replace_score(*row, *before, *now, at);
                *before = *now;
            }
            Step::Embedded(index, number) if !self.judged.is_empty() => {
                let (row, _) = self.judged[index.index(self.judged.len())];
                self.store.set_embedding_of_row(row, &embedding(*number));
            }
            Step::Evicted(since, keep) => self.store.evict(since.map(Timestamp::from_secs), *keep),
            Step::Judged(..) | Step::Embedded(..) => {}
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn updates_give_the_same_index_as_building_it(
        steps in prop::collection::vec(step(), 1..8), features in some_features()
    ) {
        let mut judged = JudgedStore::default();
        for step in &steps {
            judged.apply(step, &features);
            let store = &judged.store;
            let built = SearchIndex::build(&store.space, &store.fingerprints, store.models.len());
            prop_assert_eq!(&store.index, &built, "after {:?}", step);
            let rows: usize = store.fingerprints.iter().map(|fingerprint| fingerprint.rows.len()).sum();
            prop_assert_eq!(store.rows(), rows);
        }
    }
}
