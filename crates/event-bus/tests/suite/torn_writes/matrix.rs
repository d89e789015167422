//! [`Matrix`], which counts the outcomes of the cases and prints them in one line.

use std::{collections::BTreeMap, fmt};

/// Outcome of opening a damaged log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// All events exist, and no repair was needed.
    Complete,
    /// Unacknowledged bytes were truncated and reported.
    TailCut,
    /// All events exist; `HEAD` was rewritten.
    HeadRewritten,
    /// All events exist; the index was rebuilt from the journal.
    IndexRebuilt,
    /// Opening failed with the position of the damage.
    Damaged,
}

/// Numbers of cases of one kind of damage, by outcome.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    /// Number of cases by outcome.
    classes: BTreeMap<Class, usize>,
    /// Number of refused logs that were repaired.
    pub(crate) mended: usize,
    /// Number of repaired logs without lost events.
    pub(crate) mended_whole: usize,
    /// Number of logs whose index lacks records, which only `verify` reports.
    pub(crate) thin: usize,
}

impl Matrix {
    /// Counts a case.
    pub(crate) fn count(&mut self, class: Class) {
        *self.classes.entry(class).or_default() += 1;
    }

    /// Returns the number of cases with an outcome.
    pub(crate) fn of(&self, class: Class) -> usize {
        self.classes.get(&class).copied().unwrap_or_default()
    }

    /// Returns the number of all cases.
    pub(crate) fn cases(&self) -> usize {
        self.classes.values().sum()
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cases: ", self.cases())?;
        for (index, (class, count)) in self.classes.iter().enumerate() {
            let words = match class {
                Class::Complete => "complete",
                Class::TailCut => "tail cut",
                Class::HeadRewritten => "HEAD rewritten",
                Class::IndexRebuilt => "index built again",
                Class::Damaged => "refused with the position",
            };
            write!(f, "{}{count} {words}", if index == 0 { "" } else { ", " })?;
        }
        if self.mended != 0 {
            write!(f, "; {} of the refused repaired, {} without any loss", self.mended, self.mended_whole)?;
        }
        if self.thin != 0 {
            write!(f, "; {} indexes short of records, which only verifying shows", self.thin)?;
        }
        Ok(())
    }
}
