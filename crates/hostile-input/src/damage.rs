//! Mutation of valid bytes by a list of steps, with which a fuzzer reaches code behind checksums.

/// The bytes of one step: operation, offset (2 bytes) and operand (2 bytes).
const STEP_BYTES: usize = 5;
/// The number of bytes that a step overwrites, duplicates or removes.
const RUN: usize = 64;

/// Applies the first 64 steps of a list: flips a bit, truncates, overwrites, removes or duplicates a run, or appends.
pub fn damaged(original: &[u8], steps: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for step in steps.chunks_exact(STEP_BYTES).take(64) {
        if bytes.is_empty() {
            break;
        }
        let number = |index: usize| usize::from(u16::from_le_bytes([step[index], step[index + 1]]));
        let (offset, operand) = (number(1) % bytes.len(), number(3));
        let end = (offset + RUN).min(bytes.len());
        match step[0] % 6 {
            0 => bytes[offset] ^= 1 << (operand % 8),
            1 => bytes.truncate(offset),
            2 => bytes[offset..end].fill(u8::try_from(operand % 256).unwrap_or_default()),
            3 => drop(bytes.drain(offset..end)),
            4 => {
                let copy = bytes[offset..end].to_vec();
                let target = operand % bytes.len();
                bytes.splice(target..target, copy);
            }
            _ => bytes.extend_from_slice(&step[1..]),
        }
    }
    bytes
}
