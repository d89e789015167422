//! Negation: a keyword behind a word such as `not` does not count (C-15 in docs/spec).

use super::{RequestText, Span};

/// Words that negate the following ones, without apostrophes.
const NEGATORS: &[&str] = &["dont", "isnt", "neither", "never", "no", "nor", "not", "without"];
/// Words behind a negator that end its effect: "I do not know why" still asks why.
const CANCELLERS: &[&str] =
    &["able", "certain", "clear", "clue", "idea", "just", "know", "obvious", "only", "sure", "understand"];
/// The number of tokens before a keyword in which a negator has an effect.
const REACH: usize = 4;

/// Returns whether a token negates the following ones.
pub(crate) fn is_negator(token: &str) -> bool {
    NEGATORS.binary_search(&token).is_ok()
}

/// Returns whether one of the tokens before a span, in the same clause, negates it. `clauses` are the numbers of the
/// clauses of all tokens.
pub(super) fn is_negated(text: &RequestText, span: Span, clauses: &[u32]) -> bool {
    let clause = clauses.get(span.start);
    let before = (span.start.saturating_sub(REACH)..span.start).rev();
    before
        .take_while(|index| clauses.get(*index) == clause)
        .any(|index| is_negator(text.token(index)) && CANCELLERS.binary_search(&text.token(index + 1)).is_err())
}
