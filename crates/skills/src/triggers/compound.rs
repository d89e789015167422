//! Compound triggers: words that are specific to a skill only together (000 §2.2).
//!
//! ```text
//! any  = all { "OR" all } [ "(phrase match)" | "(both words required)" ]
//! all  = term { "AND" term }
//! term = "(" any ")" | quoted phrase
//! ```

use serde::{Deserialize, Serialize};

/// The deepest accepted nesting of parentheses.
const MAX_DEPTH: usize = 16;
/// The annotation with which each word of a phrase may be anywhere in the request.
const BOTH_WORDS: &str = "both words required";
/// The annotation with which the words of a phrase are contiguous, which is the default.
const PHRASE_MATCH: &str = "phrase match";

/// A compound trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compound {
    /// The trigger as it is written.
    pub text: String,
    /// The parsed condition.
    pub condition: CompoundCondition,
}

/// The condition of a compound trigger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompoundCondition {
    /// The words occur one after the other.
    Phrase(String),
    /// Each condition is true.
    All(Vec<CompoundCondition>),
    /// At least one condition is true.
    Any(Vec<CompoundCondition>),
}

/// Error of a compound trigger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompoundError {
    /// A parenthesis has no partner.
    #[error("a parenthesis is not balanced")]
    Unbalanced,
    /// A quotation mark has no partner.
    #[error("a quotation mark is not closed")]
    UnclosedQuote,
    /// A phrase is missing before or behind an operator.
    #[error("a phrase is missing beside AND or OR")]
    MissingPhrase,
    /// Two phrases have no operator between them.
    #[error("two phrases need AND or OR between them")]
    MissingOperator,
    /// An annotation in parentheses is unknown.
    #[error("the annotation \"({0})\" is unknown; use \"(phrase match)\" or \"(both words required)\"")]
    UnknownAnnotation(String),
    /// Parentheses are nested too deeply.
    #[error("parentheses are nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
}

/// A part of a compound trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// A quoted phrase, or words without quotation marks.
    Phrase(String),
    /// `AND`.
    And,
    /// `OR`.
    Or,
    /// An opening parenthesis.
    Open,
    /// A closing parenthesis.
    Close,
    /// An annotation, without its parentheses and in lower case.
    Annotation(String),
}

impl Compound {
    /// Parses a compound trigger.
    ///
    /// # Errors
    /// [`CompoundError`] if the text does not follow the grammar.
    pub fn parse(text: &str) -> Result<Self, CompoundError> {
        let mut parts = split_parts(text)?;
        let mut needs_both_words = false;
        while let Some(Part::Annotation(annotation)) = parts.last() {
            match annotation.as_str() {
                BOTH_WORDS => needs_both_words = true,
                PHRASE_MATCH => {}
                unknown => return Err(CompoundError::UnknownAnnotation(unknown.to_owned())),
            }
            parts.pop();
        }
        let mut parser = Parser { parts: &parts, position: 0, needs_both_words };
        let condition = parser.any(0)?;
        match parser.next() {
            None => Ok(Self { text: text.trim().to_owned(), condition }),
            Some(Part::Close) => Err(CompoundError::Unbalanced),
            Some(Part::Annotation(annotation)) => Err(CompoundError::UnknownAnnotation(annotation.clone())),
            Some(_) => Err(CompoundError::MissingOperator),
        }
    }
}

/// Splits the text of a compound trigger into its parts.
fn split_parts(text: &str) -> Result<Vec<Part>, CompoundError> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let behind = &rest[first.len_utf8()..];
        rest = match first {
            '"' | '“' | '”' => {
                let (phrase, behind) = behind.split_once(['"', '“', '”']).ok_or(CompoundError::UnclosedQuote)?;
                parts.push(Part::Phrase(phrase.to_owned()));
                behind
            }
            ')' => {
                parts.push(Part::Close);
                behind
            }
            '(' if behind.trim_start().starts_with(['"', '“', '”', '(']) => {
                parts.push(Part::Open);
                behind
            }
            '(' => {
                let (annotation, behind) = behind.split_once(')').ok_or(CompoundError::Unbalanced)?;
                parts.push(Part::Annotation(annotation.trim().to_lowercase()));
                behind
            }
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "()\"“”".contains(c)).unwrap_or(rest.len());
                let (word, behind) = rest.split_at(end);
                push_word(&mut parts, word);
                behind
            }
        }
        .trim_start();
    }
    Ok(parts)
}

/// Adds an operator or a word without quotation marks, which continues the words before it.
fn push_word(parts: &mut Vec<Part>, word: &str) {
    match (word, parts.last_mut()) {
        ("AND", _) => parts.push(Part::And),
        ("OR", _) => parts.push(Part::Or),
        (_, Some(Part::Phrase(phrase))) => {
            phrase.push(' ');
            phrase.push_str(word);
        }
        _ => parts.push(Part::Phrase(word.to_owned())),
    }
}

/// Parses the parts of a compound trigger.
struct Parser<'a> {
    /// The parts.
    parts: &'a [Part],
    /// The index of the next part.
    position: usize,
    /// Whether the words of a phrase may be anywhere.
    needs_both_words: bool,
}

impl<'a> Parser<'a> {
    /// Returns the next part and moves behind it; `None` at the end.
    fn next(&mut self) -> Option<&'a Part> {
        let part = self.parts.get(self.position)?;
        self.position += 1;
        Some(part)
    }

    /// Returns whether the next part is `part`, and moves behind it if it is.
    fn accept(&mut self, part: &Part) -> bool {
        let is_next = self.parts.get(self.position) == Some(part);
        self.position += usize::from(is_next);
        is_next
    }

    /// Parses conditions with `OR` between them.
    fn any(&mut self, depth: usize) -> Result<CompoundCondition, CompoundError> {
        let mut conditions = vec![self.all(depth)?];
        while self.accept(&Part::Or) {
            conditions.push(self.all(depth)?);
        }
        Ok(single_or(conditions, CompoundCondition::Any))
    }

    /// Parses conditions with `AND` between them.
    fn all(&mut self, depth: usize) -> Result<CompoundCondition, CompoundError> {
        let mut conditions = vec![self.term(depth)?];
        while self.accept(&Part::And) {
            conditions.push(self.term(depth)?);
        }
        Ok(single_or(conditions, CompoundCondition::All))
    }

    /// Parses a phrase or a condition in parentheses.
    fn term(&mut self, depth: usize) -> Result<CompoundCondition, CompoundError> {
        match self.next() {
            Some(Part::Phrase(phrase)) if self.needs_both_words => {
                let words = phrase.split_whitespace().map(|word| CompoundCondition::Phrase(word.to_owned()));
                Ok(single_or(words.collect(), CompoundCondition::All))
            }
            Some(Part::Phrase(phrase)) => Ok(CompoundCondition::Phrase(phrase.clone())),
            Some(Part::Open) if MAX_DEPTH <= depth => Err(CompoundError::TooDeep),
            Some(Part::Open) => {
                let condition = self.any(depth + 1)?;
                if self.accept(&Part::Close) { Ok(condition) } else { Err(CompoundError::Unbalanced) }
            }
            Some(Part::Close) => Err(CompoundError::Unbalanced),
            Some(Part::Annotation(annotation)) => Err(CompoundError::UnknownAnnotation(annotation.clone())),
            Some(Part::And | Part::Or) | None => Err(CompoundError::MissingPhrase),
        }
    }
}

/// Returns the only condition of a list, or else the conditions combined with `combine`.
fn single_or(
    mut conditions: Vec<CompoundCondition>,
    combine: impl Fn(Vec<CompoundCondition>) -> CompoundCondition,
) -> CompoundCondition {
    match (conditions.len(), conditions.pop()) {
        (1, Some(condition)) => condition,
        (_, Some(last)) => {
            conditions.push(last);
            combine(conditions)
        }
        (_, None) => combine(conditions),
    }
}

#[cfg(test)]
mod tests {
    use super::{Compound, CompoundCondition, CompoundError, MAX_DEPTH};

    /// Formats a condition with `&` and `|`.
    fn format(condition: &CompoundCondition) -> String {
        let join = |conditions: &[CompoundCondition], operator: &str| {
            format!("({})", conditions.iter().map(format).collect::<Vec<_>>().join(operator))
        };
        match condition {
            CompoundCondition::Phrase(phrase) => phrase.clone(),
            CompoundCondition::All(conditions) => join(conditions, " & "),
            CompoundCondition::Any(conditions) => join(conditions, " | "),
        }
    }

    /// SK-38: quoted phrases, OR, AND, parentheses and the two annotations.
    #[test]
    fn compound_triggers_follow_the_grammar() {
        for (text, expected) in [
            (r#""technical review" (both words required)"#, "(technical & review)"),
            (r#""parse recording" OR "meeting recording" (phrase match)"#, "(parse recording | meeting recording)"),
            (
                r#"("voice" OR "persona") AND ("review" OR "check" OR "score")"#,
                "((voice | persona) & (review | check | score))",
            ),
            (r#""a" AND "b" OR "c""#, "((a & b) | c)"),
            ("quality gate OR “red team”", "(quality gate | red team)"),
        ] {
            assert_eq!(format(&Compound::parse(text).unwrap().condition), expected, "{text}");
        }
    }

    /// SK-38: an unbalanced parenthesis and other faults are errors.
    #[test]
    fn faulty_compound_triggers_are_errors() {
        for (text, error) in [
            (r#"("voice" OR "persona" AND "review""#, CompoundError::Unbalanced),
            (r#""voice") AND "review""#, CompoundError::Unbalanced),
            (r#""voice"#, CompoundError::UnclosedQuote),
            (r#""voice" AND"#, CompoundError::MissingPhrase),
            ("", CompoundError::MissingPhrase),
            (r#""a" "b""#, CompoundError::MissingOperator),
            (r#""a" (soon)"#, CompoundError::UnknownAnnotation("soon".into())),
            (&format!("{}\"a\"", "(".repeat(MAX_DEPTH + 1)), CompoundError::TooDeep),
        ] {
            assert_eq!(Compound::parse(text).unwrap_err(), error, "{text}");
        }
    }
}
