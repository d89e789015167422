//! Ids of calls of tools: which of them go through every API as they are.

/// The longest id that every API takes, in bytes: chat completions allow 40.
const LONGEST: usize = 40;

/// Whether every API takes an id, so that a client knows the call by it whichever API answered: it is not too long and
/// made of letters, digits, `_` and `-`.
pub fn fits_every_api(call: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=LONGEST).contains(&call.len()) && call.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_the_usual_letters_that_is_not_too_long_fits() {
        for fitting in ["toolu_01A-b", "9", &"c".repeat(40)] {
            assert!(fits_every_api(fitting), "{fitting}");
        }
        for other in ["", "functions.Bash:0", "ü", &"c".repeat(41)] {
            assert!(!fits_every_api(other), "{other}");
        }
    }
}
