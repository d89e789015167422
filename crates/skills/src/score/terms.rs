//! Splits a text into *terms*: its distinct content words in a normal form, for scores and for rows of AGENTS.md.

use std::collections::BTreeSet;

use super::terms_data::{ALIASES, STOP_WORDS};

/// The shortest word that is a term, in characters.
const MIN_CHARS: usize = 2;

/// Returns the distinct terms of a text in the order of their first occurrence: lower case, without stop words, with a
/// light stem.
pub(crate) fn terms(text: &str) -> Vec<String> {
    terms_with_words(text).into_iter().map(|(term, _)| term).collect()
}

/// Returns the distinct terms of a text as [`terms`] does, each with the word of its first occurrence.
pub(crate) fn terms_with_words(text: &str) -> Vec<(String, String)> {
    let text = in_lower_case(text);
    let mut found = Vec::new();
    let (mut seen_words, mut seen_terms) = (BTreeSet::new(), BTreeSet::new());
    // Most words of a long text are repeated, so that only new ones are stemmed.
    for word in words(&text).filter(|word| seen_words.insert(*word)) {
        if let Some(term) = term(word)
            && seen_terms.insert(term.clone())
        {
            found.push((term, word.to_owned()));
        }
    }
    found
}

/// Returns a text in lower case without apostrophes.
pub(super) fn in_lower_case(text: &str) -> String {
    if text.is_ascii() {
        let mut text = text.to_ascii_lowercase();
        text.retain(|letter| letter != '\'');
        return text;
    }
    text.to_lowercase().replace(['\'', '’'], "")
}

/// Iterates over the words of a text in lower case without apostrophes: letters and digits, followed by `#` or `+` as in
/// `c#` and `c++`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let separates = |letter: char| !letter.is_alphanumeric() && letter != '#' && letter != '+';
    let words = text.split(separates).map(|word| word.trim_start_matches(['#', '+']));
    words.filter(|word| !word.is_empty())
}

/// Returns the term of a word in lower case; `None` for a stop word and for a single letter.
pub(crate) fn term(word: &str) -> Option<String> {
    if word.chars().nth(MIN_CHARS - 1).is_none() || STOP_WORDS.binary_search(&word).is_ok() {
        return None;
    }
    let alias = ALIASES.binary_search_by(|(short, _)| short.cmp(&word)).ok().and_then(|at| ALIASES.get(at));
    Some(stem(alias.map_or(word, |(_, long)| long)))
}

/// Removes the endings of plurals, participles and nouns in `-ion` from an English word, and a final `e`, so that
/// `migrate`, `migrating` and `migrations` are equal. Words with other than ASCII letters are not changed.
fn stem(word: &str) -> String {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let singular = match word.strip_suffix("ies") {
        Some(stem) if stem.len() >= 2 => format!("{stem}y"),
        _ if word.len() >= 4 && !word.ends_with("ss") => word.strip_suffix('s').unwrap_or(word).to_owned(),
        _ => word.to_owned(),
    };
    let rest = strip_ending(&singular, "ing", 3).map(single_consonant);
    let rest = rest.or_else(|| strip_ending(&singular, "ed", 4).map(single_consonant));
    let rest = rest.or_else(|| strip_ending(&singular, "ion", 4).filter(|rest| rest.ends_with(['t', 's'])));
    let rest = rest.unwrap_or(&singular);
    if rest.len() >= 4 { rest.strip_suffix('e').unwrap_or(rest).to_owned() } else { rest.to_owned() }
}

/// Removes an ending if at least `min` letters with a vowel remain.
fn strip_ending<'a>(word: &'a str, ending: &str, min: usize) -> Option<&'a str> {
    let rest = word.strip_suffix(ending)?;
    (rest.len() >= min && rest.contains(['a', 'e', 'i', 'o', 'u', 'y'])).then_some(rest)
}

/// Removes the second of two equal final consonants, as in `debugg` and `plann`. Keeps `ll`, `ss` and `zz`, and words of
/// three letters.
fn single_consonant(word: &str) -> &str {
    let bytes = word.as_bytes();
    match bytes {
        [.., before, last] if before == last && bytes.len() > 3 && !b"aeioulsz".contains(last) => {
            word.get(..word.len() - 1).unwrap_or(word)
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_term() {
        for forms in [
            "migrate migrating migrated migration migrations",
            "query queries",
            "debug debugging debugged",
            "write writing writes",
            "page pages paging",
            "class classes",
            "test tests testing tested",
            "box boxes",
            "DB db database databases",
        ] {
            assert_eq!(terms(forms).len(), 1, "{forms}: {:?}", terms(forms));
        }
        for different in ["string str", "process progress", "call control", "add ad", "red redo", "thing th"] {
            assert_eq!(different.split(' ').map(stem).collect::<BTreeSet<_>>().len(), 2, "{different}");
        }
    }

    #[test]
    fn stop_words_and_punctuation_are_not_terms() {
        assert_eq!(terms("Please, help me with the C# code -- don't use C++!"), ["c#", "cod", "c++"]);
        assert_eq!(terms("the of a 'x' —"), Vec::<String>::new());
        assert_eq!(terms("Über-große Änderung 数据库"), ["über", "große", "änderung", "数据库"]);
    }

    #[test]
    fn word_lists_are_sorted() {
        assert!(STOP_WORDS.is_sorted() && ALIASES.is_sorted());
    }
}
