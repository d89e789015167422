//! The block `embedding`: valid endpoints, and the problems of invalid ones.

use super::{problems, refused};
use crate::support::policy;

/// The URL has no trailing slash after loading; `None` without the block.
#[test]
fn an_endpoint_is_parsed_without_its_trailing_slash() {
    let text = "embedding: {url: \"http://localhost:11434/v1/\", model: nomic-embed-text, key_env: OPENAI_API_KEY}";
    insta::assert_debug_snapshot!(policy(text).embedding().unwrap(), @r#"
    EmbeddingEndpoint {
        url: "http://localhost:11434/v1",
        model: "nomic-embed-text",
        key_env: Some(
            "OPENAI_API_KEY",
        ),
    }
    "#);
    assert_eq!(policy("global_default: haiku").embedding(), None);
}

#[test]
fn hosts_are_names_or_numbers_with_or_without_a_port() {
    for url in
        ["https://api.openai.com/v1", "http://127.0.0.1", "http://[::1]:8080/v1", "https://a_b.example:65535/x%20y"]
    {
        let policy = policy(&format!("embedding: {{url: \"{url}\", model: m}}"));
        let endpoint = policy.embedding().unwrap();
        assert_eq!((endpoint.url.as_str(), &endpoint.key_env), (url, &None));
    }
}

#[test]
fn invalid_endpoints_are_reported() {
    let long = format!("embedding: {{url: \"http://a/{}\", model: {}}}\n", "u".repeat(500), "m".repeat(101));
    let text = refused(&[
        "embedding: http://localhost\n",
        "embedding: {}\n",
        "embedding: {uri: x, model: m}\n",
        "embedding: {url: \"localhost:11434/v1\", model: [m]}\n",
        "embedding: {url: \"ftp://localhost/v1\", model: \"\"}\n",
        "embedding: {url: \"http://\", model: 7}\n",
        "embedding: {url: \"http://:80\", model: \"a\\nb\"}\n",
        "embedding: {url: \"http://a:0\", model: m}\n",
        "embedding: {url: \"http://a:+80\", model: m}\n",
        "embedding: {url: \"http://a:65536\", model: m}\n",
        "embedding: {url: \"http://[::1\", model: m}\n",
        "embedding: {url: \"http://[::1]80\", model: m}\n",
        "embedding: {url: \"http://a/v1?version=2\", model: m}\n",
        "embedding: {url: \"http://a/v 1\", model: m}\n",
        "embedding: {url: \"http://a\", model: m, key_env: \"\"}\n",
        "embedding: {url: \"http://a\", model: m, key_env: 7UP}\n",
        &long,
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_secret_in_the_wrong_place_is_refused_and_not_repeated() {
    for text in [
        "embedding: {url: \"https://me:hunter2@api.example/v1\", model: m}",
        "embedding: {url: \"https://api.example/v1?key=hunter2\", model: m}",
        "embedding: {url: \"https://api.example/v1\", model: m, key_env: sk-hunter2}",
    ] {
        let problems = problems(text);
        assert!(problems.contains("`url`") || problems.contains("`key_env`"), "{problems}");
        assert!(!problems.contains("hunter2"), "{problems}");
    }
}
