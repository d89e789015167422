//! What follows from rows is the same whether it grew with them or is worked out at once.

use contracts::{Features, Score, TurnId};
use event_core::Timestamp;
use proptest::{option, prelude::*};

use super::given::{Turn, config, embedding, model, record, some_features, some_turns};
use crate::{RowId, Sample, Store, knowledge::Knowledge};

/// What may happen to a store.
#[derive(Debug, Clone)]
enum Step {
    Turns(Vec<Turn>),
    /// The verdict on a row is replaced, or taken back.
    Judged(prop::sample::Index, Option<Score>),
    /// The meaning of a message comes in.
    Embedded(prop::sample::Index, u8),
    /// Rows that did not change since so many seconds go, and all but so many.
    Evicted(Option<u64>, u32),
}

fn step() -> impl Strategy<Value = Step> {
    let score = option::of((0..=1_000_000_000_u64).prop_map(Score));
    prop_oneof![
        3 => some_turns().prop_map(Step::Turns),
        3 => (any::<prop::sample::Index>(), score).prop_map(|(row, score)| Step::Judged(row, score)),
        1 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(row, number)| Step::Embedded(row, number)),
        1 => (option::of(0..60_u64), 0..40_u32).prop_map(|(since, keep)| Step::Evicted(since, keep)),
    ]
}

/// A store, with the rows that were judged one by one and the verdicts that count.
#[derive(Default)]
struct Followed {
    store: Store,
    judged: Vec<(RowId, Option<Score>)>,
    moment: u64,
}

impl Followed {
    fn apply(&mut self, step: &Step, features: &Features) {
        self.moment += 1;
        let at = Timestamp::from_secs(self.moment);
        match step {
            Step::Turns(turns) => {
                for turn in turns {
                    self.moment += 1;
                    record(&mut self.store, turn, self.moment);
                }
                let model = model(turns.len());
                let sample = Sample { turn: TurnId::default(), features, model: &model, cost: None, at };
                let row = self.store.record(sample);
                self.judged.push((row, None));
            }
            Step::Judged(index, now) if !self.judged.is_empty() => {
                let place = index.index(self.judged.len());
                let (row, before) = &mut self.judged[place];
                self.store.judge(*row, *before, *now, at);
                *before = *now;
            }
            Step::Embedded(index, number) if !self.judged.is_empty() => {
                let (row, _) = self.judged[index.index(self.judged.len())];
                self.store.embed_row(row, &embedding(*number));
            }
            Step::Evicted(since, keep) => self.store.evict(since.map(Timestamp::from_secs), *keep),
            Step::Judged(..) | Step::Embedded(..) => {}
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_known_grows_to_what_follows_from_the_rows(
        steps in prop::collection::vec(step(), 1..8), features in some_features()
    ) {
        let mut followed = Followed::default();
        for step in &steps {
            followed.apply(step, &features);
            let store = &followed.store;
            let anew = Knowledge::of(&store.space, &store.fingerprints, store.models.len());
            prop_assert_eq!(&store.knowledge, &anew, "after {:?}", step);
            let rows: usize = store.fingerprints.iter().map(|fingerprint| fingerprint.rows.len()).sum();
            prop_assert_eq!(store.rows(), rows);
        }
    }
}
