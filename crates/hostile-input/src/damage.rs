//! Bytes read as a list of damages: how a fuzzer reaches what lies behind checksums.

/// Bytes of one damage: what, where, and with what.
const STEP: usize = 5;
/// Bytes a damage overwrites, doubles or takes out.
const RUN: usize = 64;

/// The bytes with every damage of the list done to them. A list has at most so many as change anything is worth: 64.
pub fn damaged(whole: &[u8], list: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for step in list.chunks_exact(STEP).take(64) {
        if bytes.is_empty() {
            break;
        }
        let number = |at: usize| usize::from(u16::from_le_bytes([step[at], step[at + 1]]));
        let (at, with) = (number(1) % bytes.len(), number(3));
        let end = (at + RUN).min(bytes.len());
        match step[0] % 6 {
            0 => bytes[at] ^= 1 << (with % 8),
            1 => bytes.truncate(at),
            2 => bytes[at..end].fill(u8::try_from(with % 256).unwrap_or_default()),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                let target = with % bytes.len();
                bytes.splice(target..target, copy);
            }
            _ => bytes.extend_from_slice(&step[1..]),
        }
    }
    bytes
}
