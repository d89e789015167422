//! Turns that are over and can still be judged.

use contracts::TurnId;
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    bounded::Bounded,
    judgement::{Judgement, Rubric},
    shared::{Held, Shared},
    store::RowId,
};

/// So many turns can still be judged after they are over; later judgements of older turns are not counted.
const JUDGEABLE_TURNS: usize = 20_000;

/// The turns that were over last.
pub(crate) type RecordedTurns = Bounded<TurnId, RecordedTurn, JUDGEABLE_TURNS>;

/// A turn that is over and where its samples went: the last is of whoever finished it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedTurn {
    /// `None` is not the same as no name in what is saved, but the same store.
    pub(crate) workspace: Option<Held<String>>,
    pub(crate) works: Works,
}

/// What one model did in a turn that is over: the row says which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedWork {
    pub(crate) row: RowId,
    pub(crate) judgement: Option<Judgement>,
}

/// What models did in a turn, which nearly always is one model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Vec<RecordedWork>")]
pub(crate) enum Works {
    One(RecordedWork),
    Several(Box<[RecordedWork]>),
}

impl From<Vec<RecordedWork>> for Works {
    fn from(works: Vec<RecordedWork>) -> Self {
        works.into_iter().collect()
    }
}

impl FromIterator<RecordedWork> for Works {
    fn from_iter<I: IntoIterator<Item = RecordedWork>>(works: I) -> Self {
        let mut works = works.into_iter();
        match (works.next(), works.next()) {
            (Some(one), None) => Self::One(one),
            (first, second) => Self::Several(first.into_iter().chain(second).chain(works).collect()),
        }
    }
}

impl Serialize for Works {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl Works {
    pub(crate) const fn as_slice(&self) -> &[RecordedWork] {
        match self {
            Self::One(work) => std::slice::from_ref(work),
            Self::Several(works) => works,
        }
    }

    pub(crate) const fn as_mut_slice(&mut self) -> &mut [RecordedWork] {
        match self {
            Self::One(work) => std::slice::from_mut(work),
            Self::Several(works) => works,
        }
    }
}

impl RecordedTurn {
    /// The path of its store.
    pub(crate) fn workspace(&self) -> &str {
        self.workspace.as_ref().map_or("", |workspace| workspace.as_str())
    }

    /// Holds what others hold, not texts of its own.
    pub(crate) fn share(&mut self, workspaces: &mut Shared<String>, rubrics: &mut Shared<Rubric>) {
        self.workspace = self.workspace.take().map(|workspace| workspaces.hold(String::clone(&workspace)));
        for judgement in self.works.as_mut_slice().iter_mut().filter_map(|work| work.judgement.as_mut()) {
            judgement.share(rubrics);
        }
    }
}
