//! Features of texts and paths.

use contracts::IntentTag;
use patterns::features::{SCANNED_BYTES, extension, intent_tags, top_directory};
use proptest::{prelude::*, sample::select};

use crate::naive_intents;

/// Asserts the intents of a message, given by their names in lower case, separated by commas.
#[track_caller]
fn check_intents(message: &str, names: &str) {
    let tags = intent_tags(message);
    let found: Vec<_> = IntentTag::ALL.into_iter().filter(|tag| tags.has(*tag)).collect();
    assert_eq!(format!("{found:?}").to_lowercase(), format!("[{names}]"), "in `{message}`");
}

/// Keywords of any case and form determine the intents of a message.
#[test]
fn keywords_in_the_message_determine_its_intents() {
    check_intents("", "");
    check_intents("hello there", "");
    check_intents("Commit this", "commit");
    check_intents("please git   add the file", "commit");
    check_intents("stage it", "commit");
    check_intents("Refactoring, renamed, extracted, inlined, cleanup, simplify", "refactor");
    check_intents("the architectural design of this module and its interface", "architecture");
    check_intents("DEBUG the stacktrace, it fails", "debug");
    check_intents("a stack  trace", "debug");
    check_intents("document it in the README", "doc");
    check_intents("run pytest and e2e, and a unit test", "test");
    check_intents("refactor the module, fix the bug, comment it and test", "refactor, architecture, debug, doc, test");
}

/// Longer words that contain a keyword do not denote its intent.
#[test]
fn a_keyword_inside_a_longer_word_denotes_no_intent() {
    for message in ["bugs and errors", "documentation", "testing", "recommit", "committed", "redesign", "prefix_test"] {
        check_intents(message, "");
    }
}

#[test]
fn words_end_at_ascii_boundaries() {
    check_intents("ébug", "debug");
    check_intents("éfailsé", "debug");
    check_intents("日本語test日本語", "test");
}

#[test]
fn only_the_first_eight_kilobytes_are_scanned_without_splitting_a_character() {
    let filler = "é".repeat(SCANNED_BYTES / 2 - 2);
    check_intents(&format!("{filler}bug é"), "debug");
    check_intents(&format!("{filler}  bug"), "");
    check_intents(&format!("a{}", "é".repeat(SCANNED_BYTES)), "");
}

#[test]
fn the_extension_is_the_text_after_the_last_dot() {
    for (path, expected) in [
        ("src/main.rs", Some(".rs")),
        ("SRC/MAIN.RS", Some(".rs")),
        ("archive.tar.gz", Some(".gz")),
        (r"C:\shop\main.cpp", Some(".cpp")),
        ("notes.c++", Some(".c++")),
        ("Makefile", None),
        (".gitignore", None),
        ("src/.env", None),
        ("a.b/c", None),
        ("ends.", None),
        ("", None),
        ("sentence. with words", None),
        ("x.averyveryverylongextension", None),
        ("x.é", None),
    ] {
        assert_eq!(extension(path).as_deref(), expected, "of `{path}`");
    }
}

#[test]
fn a_top_directory_is_the_first_one_inside_the_workspace() {
    let workspace = Some("/home/dev/shop");
    for (path, expected) in [
        ("src/main.rs", Some("src")),
        ("./src/main.rs", Some("src")),
        (".github/workflows/ci.yml", Some(".github")),
        ("./.github/x", Some(".github")),
        ("src/../docs/x.md", Some("docs")),
        ("/home/dev/shop/src/main.rs", Some("src")),
        ("/home/dev/shop/./.github/x", Some(".github")),
        ("/home/dev/shop/main.rs", None),
        ("/home/dev/shop", None),
        ("/home/dev/shopping/src/main.rs", None),
        ("/etc/passwd", None),
        ("../other/src/main.rs", None),
        ("main.rs", None),
        ("", None),
    ] {
        assert_eq!(top_directory(path, workspace).as_deref(), expected, "of `{path}`");
    }
}

/// Without a workspace, an absolute path has no top-level directory.
#[test]
fn without_a_workspace_only_relative_paths_have_a_top_directory() {
    assert_eq!(top_directory("/home/dev/shop/src/main.rs", None), None);
    assert_eq!(top_directory("src/main.rs", None).as_deref(), Some("src"));
}

/// Backslashes separate components, and a drive letter makes a path absolute.
#[test]
fn windows_paths_are_parsed() {
    assert_eq!(top_directory(r"src\main.rs", None).as_deref(), Some("src"));
    assert_eq!(top_directory(r"C:\shop\src\main.rs", Some(r"C:\shop")).as_deref(), Some("src"));
    assert_eq!(top_directory(r"D:\shop\src\main.rs", Some(r"C:\shop")), None);
}

/// Keywords, words that resemble them, and punctuation.
const PIECES: [&str; 58] = [
    "commit",
    "stage",
    "git",
    "add",
    "refactor",
    "rename",
    "extract",
    "inline",
    "cleanup",
    "simplif",
    "architect",
    "design",
    "module",
    "abstraction",
    "interface",
    "debug",
    "bug",
    "error",
    "stack",
    "trace",
    "broken",
    "fail",
    "doc",
    "docs",
    "document",
    "readme",
    "comment",
    "docstring",
    "test",
    "tests",
    "pytest",
    "unit",
    "e2e",
    "s",
    "ure",
    "ing",
    "COMMIT",
    "Git",
    "aDD",
    "Fails",
    "x",
    "_",
    "7",
    "é",
    "ſ",
    "K",
    "日",
    " ",
    "  ",
    "\t",
    "\n",
    "\u{b}",
    "\u{c}",
    "\r\n",
    "\u{a0}",
    "\u{85}",
    "-",
    ".",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// The scanner finds the same intents as the regular expressions of [`naive_intents`].
    #[test]
    fn intents_equal_those_of_the_regular_expressions(messages in prop::collection::vec(
        prop_oneof![4 => prop::collection::vec(select(&PIECES[..]), 0..8).prop_map(|pieces| pieces.concat()), 1 => any::<String>()],
        200,
    )) {
        let expressions = naive_intents::expressions();
        for message in messages {
            prop_assert_eq!(intent_tags(&message), naive_intents::intent_tags(&expressions, &message), "of {:?}", message);
        }
    }
}
