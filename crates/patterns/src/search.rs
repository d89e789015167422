//! The rows most like a turn: exact, by one scan of packed features. Nothing is allocated once a thread has searched a
//! store of that size.

use std::cell::RefCell;

use contracts::{ModelId, Score, views::PatternSettings};

use crate::{
    Store,
    fingerprint::Key,
    nearest::Nearest,
    packed::{Packed, Query as PackedQuery},
    row::Row,
    space::{Point, Query},
    words::{ONE, cosine},
};

/// What a search needs room for, kept from one to the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The cosine of the words, by place, with fifteen binary places.
    cosines: Vec<i16>,
    /// Whether a model may be recommended, by its number.
    known: Vec<bool>,
}

/// The bytes of a fingerprint that a search of a hybrid store looks at.
pub const BYTES_COMPARED: usize = size_of::<Point>();

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Words in common that are no more than chance.
const CHANCE: i16 = 3_277;

/// A turn to search with.
pub(crate) struct Asked<'a> {
    pub(crate) packed: Packed,
    pub(crate) point: Point,
    /// Its meaning, when it is known.
    pub(crate) embedding: Option<&'a crate::embedding::Embedding>,
    /// Whether words are compared at all.
    pub(crate) hybrid: bool,
    /// Whether it has words to compare.
    pub(crate) has_words: bool,
    /// Whether words are compared by place before anything else: the formula of 004 looks at all rows alike, and an
    /// embedding takes the place of some. Otherwise they are compared model by model.
    pub(crate) by_place: bool,
}

/// A row and how far it is, by the similarity of 004: of two the greater is the farther, then by key, then by model id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Neighbour {
    farness: u64,
    key: Key,
    place: u32,
    /// Its index there; rows stand in the order of model ids.
    row: u32,
}

impl Neighbour {
    pub(crate) const fn similarity(&self) -> Score {
        Score(Score::ONE.0.saturating_sub(self.farness))
    }
}

/// A row of one model and how like it is: of two the greater is the farther; of two as far the older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Candidate(u64);

impl Candidate {
    #[inline]
    fn new(similarity: i64, place: u32) -> Self {
        // The similarity is at most one, with fifteen binary places.
        let farness = u64::try_from(ONE - similarity).unwrap_or(u64::MAX >> 32);
        Self(farness << 32 | u64::from(!place))
    }

    /// From 0 to 1 with fifteen binary places.
    pub(crate) fn similarity(self) -> u64 {
        (1_u64 << 15).saturating_sub(self.0 >> 32)
    }

    pub(crate) fn place(self) -> usize {
        let place = !u32::try_from(self.0 & u64::from(u32::MAX)).unwrap_or_default();
        place as usize
    }
}

impl Store {
    /// Compares the words of a turn with those of all fingerprints, and hands that to a search.
    pub(crate) fn scanned<T>(
        &self,
        asked: &Asked<'_>,
        known: &dyn Fn(&ModelId) -> bool,
        then: impl FnOnce(&Scratch) -> T,
    ) -> T {
        SCRATCH.with_borrow_mut(|scratch| {
            scratch.known.clear();
            scratch.known.extend(self.models.iter().map(known));
            scratch.cosines.clear();
            scratch.cosines.resize(if asked.by_place { self.fingerprints.len() } else { 0 }, 0);
            if asked.hybrid && asked.by_place {
                let query = asked.point.direction;
                for (place, other) in scratch.cosines.iter_mut().zip(&self.knowledge.directions) {
                    *place = cosine(other, &query);
                }
                self.compare_meaning(asked, scratch);
            }
            then(scratch)
        })
    }

    /// Where both turns were embedded by the same embedder, their meaning is compared instead of their words.
    fn compare_meaning(&self, asked: &Asked<'_>, scratch: &mut Scratch) {
        let Some(embedding) = asked.embedding else { return };
        let query = embedding.direction();
        let same = self.knowledge.embedded.iter().filter(|other| other.embedder == embedding.embedder);
        for other in same {
            if let Some(place) = scratch.cosines.get_mut(other.place) {
                *place = cosine(&other.direction, &query);
            }
        }
    }

    /// The `settings.neighbours` rows most like a turn by the similarity of 004, of known models only.
    ///
    /// Two sets that are both empty count as equal, so that two short turns with nothing in common but emptiness
    /// reach a similarity of 0.7, far above any sensible floor. Therefore a turn that has anything to share (an
    /// intent, an extension, a tool, a directory, a side effect, a word) has no neighbour that shares none of it. A
    /// floor of 0 turns this off as well: then every row is a candidate, as 004 §5.5 has it.
    // Beside the rest of a recommendation its loop runs out of registers.
    #[inline(never)]
    pub(crate) fn nearest(
        &self,
        asked: &Asked<'_>,
        settings: &PatternSettings,
        scratch: &Scratch,
    ) -> Nearest<Neighbour> {
        let mut nearest = Nearest::<Neighbour>::keeping(usize::from(settings.neighbours));
        let query = PackedQuery::new(&asked.packed);
        let bare = asked.packed.is_bare() && !asked.has_words;
        let must_share = settings.min_similarity != Score::ZERO && !bare;
        let alpha = if asked.hybrid && asked.has_words { settings.alpha.min(Score::ONE).0 } else { 0 };
        let mut floor = settings.min_similarity;
        for (place, (fingerprint, cosine)) in (0_u32..).zip(self.fingerprints.iter().zip(&scratch.cosines)) {
            // Where one of them has no words, structure alone is compared.
            let alpha = if fingerprint.sketch.has_words() { alpha } else { 0 };
            let (said, rest) = (share(alpha, *cosine), Score::ONE.0 - alpha);
            if said + rest < floor.0 {
                continue;
            }
            // Both factors are at most a billion.
            let similarity = Score(said + rest * query.similarity(&fingerprint.packed).0 / Score::ONE.0);
            if similarity < settings.min_similarity {
                continue;
            }
            let shares = asked.packed.shares_with(&fingerprint.packed) || (alpha != 0 && CHANCE < *cosine);
            if must_share && !shares {
                continue;
            }
            for (row, content) in (0_u32..).zip(&fingerprint.rows) {
                if scratch.knows(content.model) {
                    let farness = Score::ONE.0.saturating_sub(similarity.0);
                    nearest.show(Neighbour { farness, key: fingerprint.key, place, row });
                }
            }
            if let Some(farthest) = nearest.floor() {
                floor = floor.max(farthest.similarity());
            }
        }
        nearest
    }

    /// The scored rows of one model most like a turn, by what they agree in beyond what is expected.
    pub(crate) fn nearest_of(
        &self,
        model: usize,
        query: &Query,
        settings: &PatternSettings,
        scratch: &Scratch,
    ) -> Nearest<Candidate> {
        let mut nearest = Nearest::<Candidate>::keeping(usize::from(settings.neighbours));
        let least = i64::try_from(settings.min_similarity.min(Score::ONE).0 * 32_768 / Score::ONE.0).unwrap_or(ONE);
        let Some(known) = self.knowledge.models.get(model) else { return nearest };
        // Below this cosine of the words no structure makes up for it.
        let mut needed = query.words_needed(0);
        let mut floor = None;
        // The newest first: of two as far it stays, and those that are no better need not be kept for a while.
        for (place, point) in known.scored.iter().zip(&known.points).rev() {
            let words = match scratch.cosines.get(*place as usize) {
                Some(compared) => *compared,
                None if query.compares_words() => cosine(&point.direction, query.direction()),
                None => 0,
            };
            let words = i64::from(words);
            if words < needed {
                continue;
            }
            let similarity = query.similarity(&self.space, words, &point.structure);
            if 0 < similarity && least <= similarity {
                nearest.show(Candidate::new(similarity, *place));
                if nearest.floor() != floor {
                    floor = nearest.floor();
                    // The last that is kept has at most fifteen binary places.
                    let farthest = floor.map_or(0, |floor| i64::try_from(floor.similarity()).unwrap_or(ONE));
                    needed = query.words_needed(farthest);
                }
            }
        }
        nearest
    }

    /// The row a neighbour stands for, and its model.
    pub(crate) fn row(&self, neighbour: &Neighbour) -> Option<(&ModelId, &Row)> {
        let row = self.fingerprints.get(neighbour.place as usize)?.rows.get(neighbour.row as usize)?;
        Some((self.models.get(row.model as usize)?, row))
    }
}

impl Scratch {
    /// Whether a model may be recommended.
    pub(crate) fn knows(&self, model: u32) -> bool {
        self.known.get(model as usize) == Some(&true)
    }
}

/// What words add to a similarity, in billionths: nothing when they point the other way.
fn share(alpha: u64, cosine: i16) -> u64 {
    alpha * u64::try_from(cosine).unwrap_or(0) / 32_767
}
