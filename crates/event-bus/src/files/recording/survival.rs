//! What of the changes that were not synced a crash keeps.

use super::change::Node;

/// What a disk writes as a whole, or so one hopes, in bytes.
pub(super) const SECTOR: usize = 512;

/// What of the changes that were not synced a crash keeps. Names in one directory, lengths and sectors of content are
/// kept or lost one by one; a rename happens as a whole or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survival {
    /// None of them.
    Nothing,
    /// All of them.
    Everything,
    /// Names and lengths, but no content: what was never written reads as zeros.
    Names,
    /// Contents and lengths, but no names.
    Contents,
    /// All before a random moment, to the sector.
    Prefix,
    /// All before a random moment, with a sector that was written in part.
    Torn,
    /// A random choice.
    Subset,
}

impl Survival {
    /// Each of them.
    pub const ALL: [Self; 7] =
        [Self::Nothing, Self::Everything, Self::Names, Self::Contents, Self::Prefix, Self::Torn, Self::Subset];

    /// Decides by a seed, given the changes that were not synced: their numbers, and where one that writes content
    /// begins and ends.
    pub(super) fn decide(self, pending: &[(u64, Option<(u64, u64)>)], seed: u64) -> Fate {
        let (least, most) = (pending.first().map_or(0, |first| first.0), pending.last().map_or(0, |last| last.0));
        let cut = |torn: bool| {
            let chosen = usize::try_from(mix(seed) % pending.len().max(1) as u64).unwrap_or_default();
            let Some((change, extent)) = pending.get(chosen).copied() else { return Fate::Nothing };
            let (start, end) = extent.unwrap_or_default();
            let place = start + mix(seed ^ 1) % (end - start + 1);
            let until = if torn { place } else { (place / SECTOR as u64 * SECTOR as u64).max(start) };
            // The length is written before or after the content.
            let grown = mix(seed ^ 2).is_multiple_of(2);
            Fate::UpTo { change, until, grown }
        };
        match self {
            Self::Nothing => Fate::Nothing,
            Self::Everything => Fate::Everything,
            Self::Names => Fate::Names,
            Self::Contents => Fate::Contents,
            Self::Prefix => cut(false),
            Self::Torn => cut(true),
            Self::Subset => Fate::Chosen { seed, in_eight: [1, 4, 7][(mix(seed) % 3) as usize], least, most },
        }
    }
}

/// The decision on every change.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fate {
    Nothing,
    Everything,
    Names,
    Contents,
    UpTo {
        change: u64,
        /// Where the content of that change ends.
        until: u64,
        /// Whether the file's length is that of the whole change nevertheless.
        grown: bool,
    },
    Chosen {
        seed: u64,
        /// How much is kept.
        in_eight: u64,
        least: u64,
        most: u64,
    },
}

impl Fate {
    /// Whether a change of a directory is kept.
    pub(super) fn keeps_name(self, change: u64) -> bool {
        match self {
            Self::Nothing | Self::Contents => false,
            Self::Everything | Self::Names => true,
            Self::UpTo { change: cut, .. } => change < cut,
            Self::Chosen { seed, in_eight, .. } => mix(mix(seed ^ 3) ^ change) % 8 < in_eight,
        }
    }

    /// Whether a file is cut when that is asked for.
    pub(super) fn keeps_cut(self, change: u64) -> bool {
        matches!(self, Self::Contents) || self.keeps_name(change)
    }

    /// The length a file grows to when a change asks for one.
    pub(super) fn grows_to(self, change: u64, length: u64) -> Option<u64> {
        match self {
            Self::UpTo { change: cut, until, grown } if change == cut => Some(if grown { length } else { until }),
            _ => self.keeps_cut(change).then_some(length),
        }
    }

    /// Where the part of a sector ends that is kept of a change to it.
    pub(super) fn keeps_until(self, change: u64, file: Node, start: u64, end: u64) -> u64 {
        let kept = match self {
            Self::Nothing | Self::Names => false,
            Self::Everything | Self::Contents => true,
            Self::UpTo { change: cut, until, .. } if change == cut => return until.clamp(start, end),
            Self::UpTo { change: cut, .. } => change < cut,
            Self::Chosen { seed, in_eight, least, most } => {
                // A sector that reaches the disk is what it was at some moment: with all changes before it, and none
                // after.
                let random = mix(mix(mix(seed ^ 4) ^ file.0) ^ (start / SECTOR as u64));
                if random % 8 < in_eight {
                    true
                } else if random & 8 == 0 {
                    false
                } else {
                    change < least + (random >> 8) % (most - least + 1)
                }
            }
        };
        if kept { end } else { start }
    }
}

/// A number that looks random and follows from another: one step of `SplitMix64`.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
