//! Tests of the words of a request.

use super::{RequestText, Span, normalized_phrase};

/// Returns the clauses of a text, separated by ` | `.
fn clauses(text: &str) -> String {
    let text = RequestText::new(text);
    let numbers = text.clauses(&[]);
    let mut joined = String::new();
    for index in 0..text.len() {
        if 0 < index {
            joined.push_str(if numbers[index] == numbers[index - 1] { " " } else { " | " });
        }
        joined.push_str(text.token(index));
    }
    joined
}

/// C-09: case, apostrophes, hyphens, plural endings and full-width letters do not matter; `&`, `++` and `#` are letters.
#[test]
fn words_are_normalized() {
    for (text, tokens) in [
        ("Devil's ADVOCATE, devil’s", " devil advocate \n devil "),
        ("multi-agent V&V ATT&CK and/or", " multi agent v&v att&ck and or "),
        ("queries query, caches cache; matches match", " query query \n cach cach \n match match "),
        ("phases phase cookies cookie classes class status", " phase phase cooky cooky class class statu "),
        ("c++ C# ＶＴＴ w&&v x && y #12 1+1", " c++ c# vtt w \n v x \n y 12 1 1 "),
        ("the these it's our design", " design "),
        ("调试 this", " 调 试 "),
    ] {
        assert_eq!(RequestText::new(text).stream(), tokens, "{text}");
    }
    assert_eq!(normalized_phrase("Roast this code"), normalized_phrase("roast THE codes"));
    assert_eq!((normalized_phrase("--"), normalized_phrase("the")), (String::new(), String::new()));
}

/// C-01: a request is split at connectors and at punctuation behind which white space follows.
#[test]
fn a_request_is_split_into_clauses() {
    for (text, expected) in [
        ("Plan and research the architecture", "plan | and research architecture"),
        ("research and then design", "research | and then design"),
        ("Research this, then roast the code", "research | then roast code"),
        ("analysis with critique", "analysi | with critique"),
        ("v1.2 of x.y; next! Why? go", "v1 2 of x y | next | why | go"),
        ("one\n\ntwo\n- three\n- four five\nsix", "one | two | three | four five six"),
        ("and so on", "and so on"),
    ] {
        assert_eq!(clauses(text), expected, "{text}");
    }
    let text = RequestText::new("search and replace it");
    assert_eq!(text.clauses(&[Span { start: 0, end: 3 }]), [0, 0, 0, 0], "a connector within a phrase does not split");
}

/// C-15: code and URLs are left out, and only the extension of a path remains.
#[test]
fn code_urls_and_paths_are_masked() {
    for (text, tokens) in [
        ("why ```research()``` fails", " why \n fail "),
        ("see https://example.org/debug?x=research, please", " see \n please "),
        ("[docs](http://a.b/plan) here", " doc here "),
        ("open src/research/plan.py:12 now", " open py now "),
        ("`./design` and ~/plan and /usr/bin/research", " and and "),
        ("SAST/DAST and requirements.txt, Node.js", " sast dast and txt \n node js "),
        (r"C:\plans\meeting.vtt", " vtt "),
        ("unclosed ``` research", " unclosed "),
    ] {
        assert_eq!(RequestText::new(text).stream(), tokens, "{text}");
    }
    let text = RequestText::new("compare a/b.md with (docs/c.yaml).");
    assert_eq!(text.paths().iter().map(|path| path.0.as_str()).collect::<Vec<_>>(), ["a/b.md", "docs/c.yaml"]);
}

/// C-15: a word up to four tokens behind a negation in the same clause is negated.
#[test]
fn words_behind_a_negation_are_negated() {
    for (text, word, is_negated) in [
        ("I'm not asking for a review", "review", true),
        ("don't research it", "research", true),
        ("not now, research it", "research", false),
        ("I don't know why it fails", "why", false),
        ("no more than what we did design", "design", false),
        ("without design", "design", true),
    ] {
        let text = RequestText::new(text);
        let start = (0..text.len()).find(|index| text.token(*index) == word).unwrap();
        let clauses = text.clauses(&[]);
        assert_eq!(text.is_negated(Span { start, end: start + 1 }, &clauses), is_negated, "{}", text.stream());
    }
}
