//! Mutation of valid bytes. A fuzzer that mutates a valid file, instead of generating one, reaches code behind
//! checksums.

/// Bytes of one mutation step: operation (one byte), offset and operand (two bytes each, little-endian).
const STEP_BYTES: usize = 5;
/// Maximum number of consecutive bytes that one step overwrites, duplicates or removes.
const RUN_BYTES: usize = 64;

/// Returns a damaged copy of `original`. Each five bytes of `steps` are one mutation: the operation (flip a bit,
/// truncate, overwrite, remove or duplicate up to 64 bytes, append), an offset and an operand. Every value is a valid
/// mutation.
///
/// Applies at most 64 mutations, and stops when the copy is empty. Incomplete steps at the end are ignored.
pub fn mutate(original: &[u8], steps: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for step in steps.chunks_exact(STEP_BYTES).take(64) {
        if bytes.is_empty() {
            break;
        }
        let number = |index: usize| usize::from(u16::from_le_bytes([step[index], step[index + 1]]));
        let (offset, operand) = (number(1) % bytes.len(), number(3));
        let end = (offset + RUN_BYTES).min(bytes.len());
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
