//! The tones of messages.

use contracts::Tone;
use evaluator::tone;

/// Asserts that every message has the expected tone.
fn all(expected: Tone, messages: &[&str]) {
    let wrong: Vec<_> = messages.iter().filter(|message| tone(message) != expected).collect();
    assert!(wrong.is_empty(), "not {expected:?}: {wrong:#?}");
}

#[test]
fn corrections_are_recognised() {
    all(
        Tone::Correction,
        &[
            "no, the total has to include tax",
            "No. Use the existing parser.",
            "no that's the other table",
            "nope, it goes into the footer",
            "that's wrong",
            "Hmm, that is not what I asked for",
            "that\u{2019}s not what I meant",
            "this isn't working",
            "You broke the login page",
            "ok so you forgot the index",
            "it still fails on CI",
            "The build is still broken after that",
            "still not working",
            "I get the same error",
            "same error as before",
            "it doesn't work",
            "Revert that please",
            "please undo the last change",
            "undo",
            "try again",
            "wrong file",
            "you edited the wrong file!",
            "not as a comment, but as a document on the issue",
            "stop. don't touch the schema",
            "tests are failing",
            "lint fail :(",
            "now it crashes when I open the menu",
            "perfect, but it still fails for empty carts",
            "thanks. That's wrong though: the limit is 50",
            "I said no new dependencies",
            "why did you delete the test?",
            "Nein, das ist die falsche Datei",
            "Das stimmt nicht, die Summe fehlt",
            "funktioniert immer noch nicht",
            "mach das wieder r\u{fc}ckg\u{e4}ngig",
            "du hast die Tests vergessen",
        ],
    );
}

#[test]
fn approvals_are_recognised() {
    all(
        Tone::Approval,
        &[
            "thanks!",
            "Thank you, now add a test",
            "perfect",
            "Perfect. Commit this.",
            "great, now the footer",
            "LGTM",
            "ok, works. great",
            "it works now",
            "works now, let's go on with the docs",
            "looks good to me, push it",
            "nice work",
            "that fixed it",
            "yes, that's exactly right",
            "danke, sieht gut aus",
            "super!",
        ],
    );
}

#[test]
fn requests_that_mention_errors_are_plain() {
    all(
        Tone::Plain,
        &[
            "",
            "no",
            "no thanks",
            "No, just commit it",
            "no need to change the tests",
            "yes please",
            "continue",
            "please continue",
            "1",
            "commit this and push",
            "add a test for the error path",
            "Find out why the importer throws an error when a file is empty, then fix it",
            "The checkout page shows `error 500` for guests. Investigate and fix.",
            "can you revert the commit 3f2a1b on the release branch and cut a new one?",
            "what is wrong with this function?",
            "write a wrong-password test",
            "great circles: compute the distance between two points",
            "nice to have: a dark mode",
            "a good test would check that the parser still works with empty files",
            "Review the diff. Check whether you think that the retry logic is right.",
            "rename the works table to jobs",
            "how does undo work in this editor?",
            "Implement the following plan:\n\n# Plan: try again on network errors",
            "kannst du die Tests ausf\u{fc}hren?",
        ],
    );
}

#[test]
fn only_the_start_of_a_message_is_classified() {
    let long = format!("{}\nthat's wrong", "Describe the architecture in a page. ".repeat(10));
    assert_eq!(tone(&long), Tone::Plain);
    let cut_inside_a_character = "\u{e4}".repeat(400);
    assert_eq!(tone(&cut_inside_a_character), Tone::Plain);
}
