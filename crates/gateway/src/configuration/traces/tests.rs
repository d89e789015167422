//! Resolving the collector and its headers.

use super::{Collector, Configuration, TracesEntry};

/// Resolves the collector of a configuration block and an environment.
fn collector(entry: impl Into<Option<TracesEntry>>, environment: &[(&str, &str)]) -> Result<Option<Collector>, String> {
    let configuration = Configuration { traces: entry.into(), ..Configuration::default() };
    let variable =
        |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    Collector::new(&configuration, variable).map_err(|error| error.to_string())
}

/// Creates the block `traces` of a configuration.
fn entry(endpoint: Option<&str>, headers_env: Option<&str>) -> TracesEntry {
    TracesEntry { endpoint: endpoint.map(str::to_owned), headers_env: headers_env.map(str::to_owned) }
}

/// Variables that a user may have set for another program.
const OTHERS: [(&str, &str); 2] = [
    ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://otel.example/otlp/"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=s%20ecret"),
];

#[test]
fn variables_that_are_set_for_other_programs_turn_nothing_on() {
    assert!(collector(None, &OTHERS).unwrap().is_none());
}

#[test]
fn an_endpoint_in_the_file_counts_alone_and_gets_no_headers_of_others() {
    for endpoint in ["http://10.0.0.7:4318", "http://10.0.0.7:4318/", "http://10.0.0.7:4318/v1/traces"] {
        let collector = collector(entry(Some(endpoint), None), &OTHERS).unwrap().unwrap();
        assert_eq!(collector.url, "http://10.0.0.7:4318/v1/traces");
        assert!(collector.headers.is_empty());
    }
}

#[test]
fn a_block_without_an_endpoint_takes_it_from_the_environment_or_is_for_this_machine() {
    let here = collector(entry(None, None), &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]).unwrap().unwrap();
    assert_eq!(here.url, "http://127.0.0.1:4318/v1/traces");
    let there = collector(entry(None, None), &OTHERS).unwrap().unwrap();
    assert_eq!(there.url, "https://otel.example/otlp/v1/traces");
    assert_eq!(there.headers["api-key"], "s ecret");
    // The variable for traces alone is the complete URL.
    let whole = [OTHERS[0], ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://spans.example/in?tenant=7")];
    let whole = collector(entry(None, None), &whole).unwrap().unwrap();
    assert_eq!(whole.url, "https://spans.example/in?tenant=7");
}

#[test]
fn headers_are_never_printed() {
    let named =
        collector(entry(Some("http://host:1"), Some("MINE")), &[("MINE", "authorization=Bearer%20s3cret, x-a=b")]);
    let named = named.unwrap().unwrap();
    assert_eq!((named.headers["authorization"].to_str().unwrap(), named.headers.len()), ("Bearer s3cret", 2));
    assert!(!format!("{named:?} {:?}", named.headers).contains("s3cret"));
    for broken in ["s3cret", "a b=s3cret", "a=s3cret%0A", "a=s3cret%4", "a=s3cret%zz"] {
        let error = collector(entry(Some("http://host:1"), Some("MINE")), &[("MINE", broken)]).unwrap_err();
        assert!(error.contains("`MINE`") && !error.contains("s3cret"), "{error}");
    }
}

#[test]
fn what_cannot_be_used_is_told_with_its_key_and_the_cause() {
    for (endpoint, cause) in [
        ("localhost:4318", "neither"),
        ("grpc://host:4317", "neither"),
        ("http://", "address"),
        ("http://me:s3cret@host", "password"),
        ("http://host/?a=s3cret", "behind its path"),
    ] {
        let error = collector(entry(Some(endpoint), None), &[]).unwrap_err();
        assert!(error.contains("traces.endpoint") && error.contains(cause) && !error.contains("s3cret"), "{error}");
    }
    let error = collector(entry(None, None), &[("OTEL_EXPORTER_OTLP_ENDPOINT", "nowhere")]).unwrap_err();
    assert!(error.contains("`OTEL_EXPORTER_OTLP_ENDPOINT`"), "{error}");
    let error = collector(entry(None, Some("NOT_SET")), &[]).unwrap_err();
    assert!(error.contains("traces.headers_env") && error.contains("NOT_SET"), "{error}");
}
