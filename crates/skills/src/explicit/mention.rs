//! Skills that a request names in words, such as "use the testing skill" (003 hard rules 1 and 3).

use crate::text::{RequestText, Span, is_negator};

/// Words before the name of a skill that ask for it.
const VERBS: &[&str] = &[
    "activate", "apply", "call", "enable", "follow", "invoke", "launch", "load", "run", "start", "try", "use", "using",
    "via", "with",
];
/// Words between the names of a list, or before it.
const LIST_WORDS: &[&str] = &["and", "both", "or", "plus", "then"];
/// Words between a negation and the word "skill".
const FILLERS: &[&str] = &[
    "activate", "all", "any", "apply", "applying", "invoke", "load", "loading", "of", "run", "single", "use", "using",
];
/// Words besides the negations that reject the skills behind them.
const REJECTIONS: &[&str] = &["avoid", "disable", "except", "ignore", "skip"];
/// The word that marks the name of a skill, without its plural ending.
const SKILL: &str = "skill";
/// The number of words before a verb in which a negation rejects the skill.
const NEGATION_REACH: usize = 3;

/// A name of a skill in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameAt<'a> {
    /// The tokens of the name.
    pub(crate) span: Span,
    /// The skill.
    pub(crate) skill: &'a str,
}

/// The skills that a request names in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    /// The skills that the user asks for, each once, in their order.
    pub(crate) named: Vec<String>,
    /// The skills that the user rejects, each once.
    pub(crate) ruled_out: Vec<String>,
    /// The words with which the user rejects all skills, normalized; `None` if there are none.
    pub(crate) refusal: Option<String>,
}

/// Finds the skills that a request names next to the word "skill", with a verb such as "use" or a negation before it.
/// `names` are all occurrences of names of skills.
pub(crate) fn find_mentions(text: &RequestText, names: &[NameAt<'_>]) -> Mentions {
    let mut mentions = Mentions::default();
    for position in (0..text.len()).filter(|index| text.token(*index) == SKILL) {
        let (start, mut skills) = names_before(text, names, position);
        if skills.is_empty() {
            skills = names_behind(text, names, position);
        }
        let is_negated = negation_before(text, start);
        if skills.is_empty() {
            if let Some(negation) = is_negated
                && mentions.refusal.is_none()
            {
                mentions.refusal = Some(text.words(Span { start: negation, end: position + 1 }));
            }
            continue;
        }
        let is_asked = start.checked_sub(1).is_some_and(|verb| VERBS.contains(&text.token(verb)));
        let list = match (is_negated, is_asked) {
            (Some(_), _) => &mut mentions.ruled_out,
            (None, true) => &mut mentions.named,
            (None, false) => continue,
        };
        for skill in skills {
            if list.iter().all(|known| known != skill) {
                list.push(skill.to_owned());
            }
        }
    }
    mentions
}

/// Returns the names directly before the word at `position`, with the index of the first token of the list; `position`
/// itself without names.
fn names_before<'a>(text: &RequestText, names: &[NameAt<'a>], position: usize) -> (usize, Vec<&'a str>) {
    let (mut start, mut skills) = (position, Vec::new());
    loop {
        let ending = names.iter().filter(|name| name.span.end == start);
        if let Some(name) = ending.max_by_key(|name| name.span.len()) {
            start = name.span.start;
            skills.insert(0, name.skill);
        } else if !skills.is_empty()
            && let Some(before) = start.checked_sub(1)
            && LIST_WORDS.contains(&text.token(before))
            && (text.token(before) == "both" || names.iter().any(|name| name.span.end == before))
        {
            start = before;
        } else {
            return (start, skills);
        }
    }
}

/// Returns the names directly behind the word at `position`.
fn names_behind<'a>(text: &RequestText, names: &[NameAt<'a>], position: usize) -> Vec<&'a str> {
    let (mut end, mut skills) = (position + 1, Vec::new());
    loop {
        let starting = names.iter().filter(|name| name.span.start == end);
        if let Some(name) = starting.max_by_key(|name| name.span.len()) {
            end = name.span.end;
            skills.push(name.skill);
        } else if !skills.is_empty() && LIST_WORDS.contains(&text.token(end)) {
            end += 1;
        } else {
            return skills;
        }
    }
}

/// Returns the index of the negation that rejects the skills from token `start` on: directly before them or before a
/// verb. `None` if nothing rejects them.
fn negation_before(text: &RequestText, start: usize) -> Option<usize> {
    let reach = start.saturating_sub(NEGATION_REACH + 1)..start;
    let mut before = reach.rev().skip_while(|index| {
        let token = text.token(*index);
        FILLERS.contains(&token) || VERBS.contains(&token)
    });
    let index = before.next()?;
    let token = text.token(index);
    (is_negator(token) || REJECTIONS.contains(&token)).then_some(index)
}
