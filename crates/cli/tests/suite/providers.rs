//! The commands `providers` and `providers retry`.

use crate::desk::{Desk, said};

#[test]
fn a_provider_that_was_never_called_is_not_checked_and_its_key_is_not_printed() {
    let desk = Desk::new();
    let output = desk.command(&["providers"]).env("ANTHROPIC_API_KEY", "sk-secret").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("sk-secret"), "{text}");
    insta::assert_snapshot!(text, @r"
    PROVIDER   STATE           KEY
    anthropic  not called yet  ANTHROPIC_API_KEY
    google     not called yet  no key
    ollama     not called yet  not needed
    openai     not called yet  no key
    ");
}

#[test]
fn an_unknown_provider_is_an_error_that_names_the_known_ones() {
    let desk = Desk::new();
    insta::assert_snapshot!(said(&desk.run(&["providers", "retry", "antropic"])), @r"
    exit 2
    error: no model has the provider `antropic`; the providers are anthropic, google, ollama, openai
    ");
}
