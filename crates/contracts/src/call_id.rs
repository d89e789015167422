//! Checks ids of tool calls against the limits of all wire APIs.

/// Maximum length in bytes of a tool call id that every API accepts. Chat completions have the lowest limit, 40.
const LONGEST: usize = 40;

/// Returns whether every wire API accepts an id of a tool call: 1 to 40 bytes, only ASCII letters, digits, `_` and `-`.
/// Such an id needs no conversion, so the client receives the same id from every API.
pub fn fits_every_api(call: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=LONGEST).contains(&call.len()) && call.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids of 1 to 40 ASCII letters, digits, `_` and `-` fit; empty, longer and other ids do not.
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
