//! Text stores: the contract of both implementations, and damaged files.

use event_bus::{LogError, MAX_TEXT_BYTES, MemoryTexts, TextFiles, TextStore};

/// Asserts the contract of [`TextStore`]: storing twice, reading, removing, and the maximum length.
fn check(texts: &dyn TextStore) {
    let hash = texts.put("a policy").unwrap();
    assert_eq!(hash, texts.put("a policy").unwrap());
    assert_eq!(texts.get(hash).unwrap().as_deref(), Some("a policy"));
    assert_eq!(texts.get([7; 32]).unwrap(), None);
    assert!(texts.remove(hash).unwrap());
    assert!(!texts.remove(hash).unwrap());
    assert_eq!(texts.get(hash).unwrap(), None);
    let long = "x".repeat(MAX_TEXT_BYTES + 1);
    assert!(matches!(texts.put(&long), Err(LogError::TextOversized { .. })));
    let longest = texts.put(&long[1..]).unwrap();
    assert_eq!(texts.get(longest).unwrap().map(|text| text.len()), Some(MAX_TEXT_BYTES));
}

#[test]
fn texts_in_memory_and_in_files_behave_the_same() {
    let directory = tempfile::tempdir().unwrap();
    check(&MemoryTexts::new());
    check(&TextFiles::open(directory.path()));
}

/// Reading a changed file fails, and storing the text again replaces it.
#[test]
fn a_changed_text_is_noticed_and_putting_it_again_mends_it() {
    let directory = tempfile::tempdir().unwrap();
    let texts = TextFiles::open(directory.path());
    let hash = texts.put("what was said").unwrap();
    let inside = std::fs::read_dir(directory.path().join("texts")).unwrap().next().unwrap().unwrap().path();
    let file = std::fs::read_dir(inside).unwrap().next().unwrap().unwrap().path();
    std::fs::write(&file, "what was not said").unwrap();
    assert!(matches!(texts.get(hash), Err(LogError::TextDamaged { .. })));
    assert_eq!(texts.put("what was said").unwrap(), hash);
    assert_eq!(texts.get(hash).unwrap().as_deref(), Some("what was said"));
}
