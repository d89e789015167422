//! Session files that are cut or damaged, for the readers of all formats.

use proptest::{prelude::*, test_runner::TestCaseError};
use transcripts::{observed::ObservedTurn, session_file::Format};

use crate::support::read_turns;

/// Asserts that reading a session file twice results in the same turns and issues.
#[track_caller]
pub(crate) fn assert_reading_is_repeatable<F: Format>(file: &str, text: &str) {
    assert_eq!(read_turns::<F>(file, text.as_bytes()), read_turns::<F>(file, text.as_bytes()));
}

/// Checks a session file of which only the first `kept` bytes are left: its turns are a prefix of those of the complete
/// file, at most `unfinished` of them differ (with fewer steps), and only the cut line is reported. Returns each turn
/// of the cut file with the same turn of the complete one.
///
/// # Errors
/// The violated condition.
pub(crate) fn check_cut<F: Format>(
    file: &str,
    text: &str,
    kept: usize,
    unfinished: usize,
) -> Result<Vec<(ObservedTurn, ObservedTurn)>, TestCaseError> {
    let (whole, all_issues) = read_turns::<F>(file, text.as_bytes());
    let (part, issues) = read_turns::<F>(file, &text.as_bytes()[..kept]);
    let earlier = all_issues.iter().take_while(|issue| issues.contains(issue)).count();
    prop_assert!(issues.len() <= earlier + 1, "{issues:?}");
    prop_assert!(part.len() <= whole.len());
    let pairs: Vec<_> = part.into_iter().zip(whole).collect();
    for (part, whole) in &pairs {
        prop_assert_eq!(part.id(), whole.id());
        prop_assert_eq!(&part.message, &whole.message);
        prop_assert!(part.steps.len() <= whole.steps.len());
    }
    prop_assert!(pairs.iter().filter(|(part, whole)| part != whole).count() <= unfinished);
    Ok(pairs)
}

/// Checks a session file with the bytes `junk` inserted at `place`: it has at most `more` turns more than the original.
/// The reader neither stops nor panics.
///
/// # Errors
/// The violated condition.
pub(crate) fn check_junk<F: Format>(
    file: &str,
    text: &str,
    place: usize,
    junk: Vec<u8>,
    more: usize,
) -> Result<(), TestCaseError> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.splice(place..place, junk);
    let (found, _) = read_turns::<F>(file, &bytes);
    let (sound, _) = read_turns::<F>(file, text.as_bytes());
    prop_assert!(found.len() <= sound.len() + more, "{} turns instead of {}", found.len(), sound.len());
    Ok(())
}
