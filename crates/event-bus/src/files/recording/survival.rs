//! [`Survival`], which selects the unsynced changes that a simulated crash keeps, and [`CrashOutcome`], the selection
//! for one crash.

use super::change::Node;

/// Number of bytes that a disk is assumed to write atomically. An unsynced sector is kept or lost as a unit, except
/// with [`Survival::Torn`].
pub(super) const SECTOR: usize = 512;

/// Selection of the unsynced changes that survive a simulated crash. Entries of a directory, lengths, and sectors of
/// content survive or are lost individually; a rename is atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survival {
    /// No unsynced change.
    Nothing,
    /// All unsynced changes.
    Everything,
    /// Names and lengths, but no content: unwritten parts read as zeros.
    Names,
    /// Content and lengths, but no names.
    Contents,
    /// All changes before a random point at a sector boundary, and none after it.
    Prefix,
    /// All changes before a random point, which may be inside a sector, and none after it.
    Torn,
    /// A random subset: of the changes to names and lengths, and of the sectors.
    Subset,
}

impl Survival {
    /// All selections, in the order of declaration.
    pub const ALL: [Self; 7] =
        [Self::Nothing, Self::Everything, Self::Names, Self::Contents, Self::Prefix, Self::Torn, Self::Subset];

    /// Selects the pending changes that survive one simulated crash. `pending` contains the numbers of the unsynced
    /// changes, in order, each with the byte range it writes, or `None` if it writes no content. `seed` determines the
    /// random choices.
    pub(super) fn decide(self, pending: &[(u64, Option<(u64, u64)>)], seed: u64) -> CrashOutcome {
        let (first, last) = (pending.first().map_or(0, |first| first.0), pending.last().map_or(0, |last| last.0));
        let random_cut = |torn: bool| {
            let index = usize::try_from(mix(seed) % pending.len().max(1) as u64).unwrap_or_default();
            let Some((change, extent)) = pending.get(index).copied() else { return CrashOutcome::Nothing };
            let (start, end) = extent.unwrap_or_default();
            let random_offset = start + mix(seed ^ 1) % (end - start + 1);
            let kept_end =
                if torn { random_offset } else { (random_offset / SECTOR as u64 * SECTOR as u64).max(start) };
            // The length may be written before or after the content.
            let grown = mix(seed ^ 2).is_multiple_of(2);
            CrashOutcome::UpTo { change, kept_end, grown }
        };
        match self {
            Self::Nothing => CrashOutcome::Nothing,
            Self::Everything => CrashOutcome::Everything,
            Self::Names => CrashOutcome::Names,
            Self::Contents => CrashOutcome::Contents,
            Self::Prefix => random_cut(false),
            Self::Torn => random_cut(true),
            Self::Subset => CrashOutcome::Chosen { seed, eighths: [1, 4, 7][(mix(seed) % 3) as usize], first, last },
        }
    }
}

/// The unsynced changes that one simulated crash keeps. Changes are numbered in the order in which they were made.
#[derive(Debug, Clone, Copy)]
pub(super) enum CrashOutcome {
    /// No change is kept.
    Nothing,
    /// All changes are kept.
    Everything,
    /// Changes of directories and lengths are kept.
    Names,
    /// Changes of content and lengths are kept.
    Contents,
    /// Changes before number `change` are kept, and that one in part.
    UpTo {
        /// Number of the change that is kept in part.
        change: u64,
        /// Offset up to which the content of that change is kept.
        kept_end: u64,
        /// Whether the file nevertheless has the length after the complete change.
        grown: bool,
    },
    /// A random subset is kept.
    Chosen {
        /// Seed of the random choices.
        seed: u64,
        /// Probability that a change survives, in eighths.
        eighths: u64,
        /// Number of the first unsynced change.
        first: u64,
        /// Number of the last unsynced change.
        last: u64,
    },
}

impl CrashOutcome {
    /// Returns whether change number `change`, which adds, renames or removes a directory entry, survives the crash.
    pub(super) fn keeps_name(self, change: u64) -> bool {
        match self {
            Self::Nothing | Self::Contents => false,
            Self::Everything | Self::Names => true,
            Self::UpTo { change: cut, .. } => change < cut,
            Self::Chosen { seed, eighths, .. } => mix(mix(seed ^ 3) ^ change) % 8 < eighths,
        }
    }

    /// Returns whether change number `change`, which truncates a file, survives the crash.
    pub(super) fn keeps_truncation(self, change: u64) -> bool {
        matches!(self, Self::Contents) || self.keeps_name(change)
    }

    /// Returns the length of a file in bytes after the crash, for change number `change`, which extends the file to
    /// `length`; `None` if the change is lost.
    pub(super) fn surviving_length(self, change: u64, length: u64) -> Option<u64> {
        match self {
            Self::UpTo { change: cut, kept_end, grown } if change == cut => Some(if grown { length } else { kept_end }),
            _ => self.keeps_truncation(change).then_some(length),
        }
    }

    /// Returns the offset up to which a write survives the crash. Change number `change` writes the bytes from `start`
    /// to `end`, which lie in one disk sector of `file`. The result is `end` if the write survives, `start` if it is
    /// lost, and an offset between them if it is torn.
    pub(super) fn surviving_end(self, change: u64, file: Node, start: u64, end: u64) -> u64 {
        let is_kept = match self {
            Self::Nothing | Self::Names => false,
            Self::Everything | Self::Contents => true,
            Self::UpTo { change: cut, kept_end, .. } if change == cut => return kept_end.clamp(start, end),
            Self::UpTo { change: cut, .. } => change < cut,
            Self::Chosen { seed, eighths, first, last } => {
                // A surviving sector has its content at some point in time: all earlier changes and no later ones.
                let random = mix(mix(mix(seed ^ 4) ^ file.0) ^ (start / SECTOR as u64));
                if random % 8 < eighths {
                    true
                } else if random & 8 == 0 {
                    false
                } else {
                    change < first + (random >> 8) % (last - first + 1)
                }
            }
        };
        if is_kept { end } else { start }
    }
}

/// Returns a pseudo-random number that depends on `number` alone.
fn mix(number: u64) -> u64 {
    fastrand::Rng::with_seed(number).u64(..)
}
