//! The rows most like a turn: exact, by a scan of packed features with a heap of the best so far.

use std::{cmp::Ordering, collections::BinaryHeap};

use contracts::{ModelId, Score, views::PatternSettings};

use crate::{
    Store,
    fingerprint::Key,
    packed::{Packed, Query},
    row::Row,
};

/// A row and how near it is. Of two the greater is the farther: less similar, then by key, then by model id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Neighbour {
    similarity: Score,
    key: Key,
    /// The place of its fingerprint.
    place: usize,
    /// Its index there; rows stand in the order of model ids.
    row: usize,
}

impl Ord for Neighbour {
    fn cmp(&self, other: &Self) -> Ordering {
        let farther = other.similarity.cmp(&self.similarity);
        farther.then(self.key.cmp(&other.key)).then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Neighbour {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Store {
    /// The `settings.neighbours` rows most like a turn, of known models only, in no particular order.
    ///
    /// Two sets that are both empty count as equal, so that two short turns with nothing in common but emptiness
    /// reach a similarity of 0.7, far above any sensible floor. Therefore a turn that has anything to share (an
    /// intent, an extension, a tool, a directory, a side effect) has no neighbour that shares none of it. A
    /// floor of 0 turns this off as well: then every row is a candidate, as 004 §5.5 has it.
    pub(crate) fn nearest(
        &self,
        features: Packed,
        settings: &PatternSettings,
        known: &dyn Fn(&ModelId) -> bool,
    ) -> BinaryHeap<Neighbour> {
        let most = usize::from(settings.neighbours).min(self.rows());
        let mut nearest = BinaryHeap::with_capacity(most);
        let known: Vec<bool> = self.models.iter().map(known).collect();
        if most == 0 || !known.contains(&true) {
            return nearest;
        }
        let query = Query::new(features);
        let must_share = settings.min_similarity != Score::ZERO && !query.packed().is_bare();
        let mut floor = settings.min_similarity;
        for (place, packed) in self.packed.iter().enumerate() {
            let Some(similarity) = query.similarity(packed, floor) else { continue };
            if must_share && !query.packed().shares_with(packed) {
                continue;
            }
            let Some(fingerprint) = self.fingerprints.get(place) else { continue };
            for (row, content) in fingerprint.rows.iter().enumerate() {
                if known.get(content.model as usize) != Some(&true) {
                    continue;
                }
                let candidate = Neighbour { similarity, key: fingerprint.key, place, row };
                if nearest.len() < most {
                    nearest.push(candidate);
                } else if let Some(mut farthest) = nearest.peek_mut()
                    && candidate < *farthest
                {
                    *farthest = candidate;
                }
            }
            if nearest.len() == most
                && let Some(farthest) = nearest.peek()
            {
                floor = farthest.similarity;
            }
        }
        nearest
    }

    /// The row a neighbour stands for, and its model.
    pub(crate) fn row(&self, neighbour: &Neighbour) -> Option<(&ModelId, &Row)> {
        let row = self.fingerprints.get(neighbour.place)?.rows.get(neighbour.row)?;
        Some((self.models.get(row.model as usize)?, row))
    }
}
