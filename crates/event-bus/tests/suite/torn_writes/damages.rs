//! Kinds of damage: truncation, flipped bits, damaged sectors and damaged frames.

use fastrand::Rng;

use super::original::Original;
use crate::damaged::HEADER;
use crate::support::times;

/// Size of a sector in bytes.
const SECTOR: usize = 512;

/// Returns the lengths to which a file is cut: at every frame boundary, one byte before and after, and at some offsets
/// inside.
pub(crate) fn cuts(original: &Original, random: &mut Rng) -> Vec<usize> {
    let mut cuts: Vec<usize> = (0..=HEADER).collect();
    for place in &original.frames {
        cuts.extend([place.start + 1, place.end - 1, place.end]);
        cuts.extend((0..times(3)).map(|_| place.start + 2 + random.usize(..place.end - place.start - 3)));
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts.retain(|cut| *cut < original.journal.len());
    cuts
}

/// Flips a random bit and returns the index of its byte.
pub(crate) fn flip(bytes: &mut [u8], random: &mut Rng) -> usize {
    let bit = random.usize(..bytes.len() * 8);
    bytes[bit / 8] ^= 1 << (bit % 8);
    bit / 8
}

/// Damage of one sector of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectorDamage {
    /// Filled with zeros.
    Zeroed,
    /// Filled with random bytes.
    Garbage,
    /// Exchanged with a random other sector.
    Swapped,
    /// Written over the next one as well.
    Doubled,
}

impl SectorDamage {
    /// All kinds of damage of a sector.
    pub(crate) const ALL: [Self; 4] = [Self::Zeroed, Self::Garbage, Self::Swapped, Self::Doubled];

    /// Damages one sector of a file. Returns the offset of the damage; `None` if nothing changed.
    pub(crate) fn apply(self, bytes: &mut [u8], sector: usize, random: &mut Rng) -> Option<usize> {
        let before = bytes.to_vec();
        let start = sector * SECTOR;
        let end = bytes.len().min(start + SECTOR);
        let whole = bytes.len() / SECTOR;
        let mut other = start;
        match self {
            Self::Zeroed => bytes[start..end].fill(0),
            Self::Garbage => bytes[start..end].fill_with(|| random.u64(..).to_le_bytes()[0]),
            Self::Swapped if sector < whole => {
                other = random.usize(..whole) * SECTOR;
                bytes.copy_within(other..other + SECTOR, start);
                bytes[other..other + SECTOR].copy_from_slice(&before[start..end]);
            }
            Self::Doubled if sector + 1 < whole => {
                other = end;
                bytes.copy_within(start..end, end);
            }
            Self::Swapped | Self::Doubled => return None,
        }
        let mut touched =
            (start.min(other)..bytes.len()).take(SECTOR).chain((start.max(other)..bytes.len()).take(SECTOR));
        touched.find(|at| before[*at] != bytes[*at])
    }
}

/// Returns the number of sectors of a file, an incomplete one at the end included.
pub(crate) fn sectors(bytes: &[u8]) -> usize {
    bytes.len().div_ceil(SECTOR)
}

/// Damage of one frame of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameDamage {
    /// Exchanged with the next frame.
    Swapped,
    /// Exchanged with a distant frame.
    SwappedFar,
    /// Written twice.
    Doubled,
    /// Removed, so that later frames move forward.
    Removed,
    /// Another payload with a valid checksum, so that only the hash chain shows the change.
    Forged,
}

impl FrameDamage {
    /// All kinds of damage of a frame.
    pub(crate) const ALL: [Self; 5] = [Self::Swapped, Self::SwappedFar, Self::Doubled, Self::Removed, Self::Forged];

    /// Returns the journal with one damaged frame; `None` if the damage is not possible.
    pub(crate) fn apply(self, original: &Original, index: usize) -> Option<Vec<u8>> {
        let count = original.frames.len();
        let mut frames: Vec<Vec<u8>> = (0..count).map(|index| original.frame(index).to_vec()).collect();
        let far = (index + count / 3) % count;
        match self {
            Self::Swapped if index + 1 < count => frames.swap(index, index + 1),
            Self::SwappedFar => frames.swap(index, far),
            Self::Doubled => frames.insert(index, frames[index].clone()),
            Self::Removed => drop(frames.remove(index)),
            Self::Forged if !original.events[index].event.payload.is_empty() => {
                let frame = &mut frames[index];
                // The payload ends where the 32 bytes of the chain begin.
                let last = frame.len() - 33;
                frame[last] ^= 0xff;
                let sum = super::expected::checksum(frame);
                frame[4..8].copy_from_slice(&sum);
            }
            Self::Swapped | Self::Forged => return None,
        }
        Some([original.journal[..HEADER].to_vec(), frames.concat()].concat())
    }
}
