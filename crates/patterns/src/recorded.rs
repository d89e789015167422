//! Turns that have ended and can still be evaluated.

use std::sync::Arc;

use contracts::{BoundedMap, TurnId};
use serde::{Deserialize, Serialize, Serializer};

use crate::{
    evaluation::{RubricVersion, TurnEvaluation},
    interner::Interner,
    store::RowId,
};

/// The greatest number of ended turns in memory; evaluations of older turns are ignored.
pub(crate) const MAX_RECORDED_TURNS: usize = 20_000;

/// The most recently ended turns, by id; at most [`MAX_RECORDED_TURNS`].
pub(crate) type RecordedTurns = BoundedMap<TurnId, RecordedTurn>;

/// A turn that has ended, with the rows its outcomes were added to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedTurn {
    /// The path of the workspace; `None` for a turn without one.
    pub(crate) workspace: Option<Arc<String>>,
    /// The work of each model in the turn. The last entry is the model that finished the turn.
    pub(crate) works: WorkList,
}

/// The work of one model in a turn that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedWork {
    /// The row that the work was added to.
    pub(crate) row: RowId,
    /// The evaluation that applies; `None` if the work has not been evaluated.
    pub(crate) evaluation: Option<TurnEvaluation>,
}

/// The list of the works of all models in a turn. Needs no allocation in the common case of one model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Vec<RecordedWork>")]
pub(crate) enum WorkList {
    /// The work of a single model.
    One(RecordedWork),
    /// The work of several models, or of none.
    Several(Box<[RecordedWork]>),
}

impl From<Vec<RecordedWork>> for WorkList {
    fn from(works: Vec<RecordedWork>) -> Self {
        works.into_iter().collect()
    }
}

impl FromIterator<RecordedWork> for WorkList {
    fn from_iter<I: IntoIterator<Item = RecordedWork>>(works: I) -> Self {
        let mut works = works.into_iter();
        match (works.next(), works.next()) {
            (Some(one), None) => Self::One(one),
            (first, second) => Self::Several(first.into_iter().chain(second).chain(works).collect()),
        }
    }
}

impl Serialize for WorkList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl WorkList {
    /// Returns the work of all models, in order.
    pub(crate) const fn as_slice(&self) -> &[RecordedWork] {
        match self {
            Self::One(work) => std::slice::from_ref(work),
            Self::Several(works) => works,
        }
    }

    /// Returns the work of all models for modification, in order.
    pub(crate) const fn as_mut_slice(&mut self) -> &mut [RecordedWork] {
        match self {
            Self::One(work) => std::slice::from_mut(work),
            Self::Several(works) => works,
        }
    }
}

impl RecordedTurn {
    /// Returns the key of the turn's store: the path of the workspace, empty for none.
    pub(crate) fn workspace(&self) -> &str {
        self.workspace.as_ref().map_or("", |workspace| workspace.as_str())
    }

    /// Replaces workspace and rubrics by the shared values of the pools, after deserialisation.
    pub(crate) fn intern(&mut self, workspaces: &mut Interner<String>, rubrics: &mut Interner<RubricVersion>) {
        self.workspace = self.workspace.take().map(|workspace| workspaces.intern(workspace));
        for evaluation in self.works.as_mut_slice().iter_mut().filter_map(|work| work.evaluation.as_mut()) {
            evaluation.intern(rubrics);
        }
    }
}
