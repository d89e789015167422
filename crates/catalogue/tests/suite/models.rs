//! Files of models: accepted content, errors, and the resulting registry.

use catalogue::{BUILT_IN, ModelFile, litellm, load_registry, parse, registry_from_text, registry_text, to_yaml};
use contracts::{NanoUsd, PicoUsd, Registry, Tier, Usage};

/// A part of a price list in the format of `LiteLLM`.
const PRICE_LIST: &str = include_str!("../fixtures/price-list.json");

/// Loads the built-in models, overridden by a file with this text.
fn with(text: &str) -> Result<Registry, String> {
    load_registry(Some(ModelFile { file: "models.yaml", text })).map_err(|errors| errors.to_string())
}

/// Returns the errors of a file with this text; panics if it is valid.
fn errors(text: &str) -> String {
    with(text).unwrap_err()
}

/// A table of the built-in models with tier, context window, prices and aliases.
#[test]
fn the_built_in_models_are_these() {
    let registry = load_registry(None).unwrap();
    let mut table = Vec::new();
    for model in registry.iter() {
        let tier = model.tier.map_or("-", Tier::name);
        let base = model.prices.unwrap().base;
        let prices = [base.input, base.cache_read, base.cache_write_5m, base.cache_write_1h, base.output].map(dollars);
        let long = model.prices.unwrap().long.map_or(String::new(), |(above, _)| format!(" long>{above}"));
        table.push(format!(
            "{:<34} {tier:<8} {:>7} {}{long} | {}",
            model.id.as_str(),
            model.context_window,
            prices.join(" "),
            model.aliases.join(" ")
        ));
    }
    insta::assert_snapshot!(table.join("\n"));
}

/// Formats a rate in dollars per million tokens.
fn dollars(rate: PicoUsd) -> String {
    format!("{:.3}", NanoUsd(rate.0 * 1_000))
}

/// An id, an alias, a bare name or a dated name, in any case of letters, is resolved to one model.
#[test]
fn every_name_resolves_to_one_model_in_any_case() {
    let registry = load_registry(None).unwrap();
    let check = |name: &str, id: &str| assert_eq!(registry.named(name).unwrap().id.as_str(), id, "{name}");
    check("opus", "anthropic:claude-opus-5-5");
    check("OPUS", "anthropic:claude-opus-5-5");
    check("claude-opus-4-7", "anthropic:claude-opus-4-7");
    check("anthropic:claude-opus-4-7", "anthropic:claude-opus-4-7");
    check("gpt-5.5-2026-04-23", "openai:gpt-5.5");
    check("flash", "google:gemini-3.8-flash");
    check("claude-opus-4-5-20251101", "anthropic:claude-opus-4-5");
    check("gpt-4o", "openai:gpt-4o");
    assert!(registry.named("nobody-knows-it").is_none());
}

/// The cost of a call is the exact sum over all kinds of tokens.
#[test]
fn costs_of_every_kind_of_token_are_exact() {
    let registry = load_registry(None).unwrap();
    let prices = registry.named("claude-opus-4-5").unwrap().prices.unwrap();
    let usage = Usage { input: 3, cache_read: 18_338, cache_write_5m: 0, cache_write_1h: 7_771, output: 261 };
    // 3 * 5 + 18338 * 0.5 + 7771 * 10 + 261 * 25 micro-dollars.
    assert_eq!(prices.cost(&usage), NanoUsd(93_419_000));
}

/// A user's file replaces only the fields that it sets, and can remove a model.
#[test]
fn a_file_overrides_a_built_in_model_field_by_field() {
    let built_in = load_registry(None).unwrap();
    let registry = with(
        "models:\n  anthropic:claude-sonnet-5-5:\n    aliases: work\n  anthropic:claude-opus-4-5: {remove: true}\n  \
         openai:gpt-5.5:\n    configured: false\n    prices: {cache_read: 0.25}\n",
    )
    .unwrap();
    let (before, after) = (built_in.named("claude-sonnet-5-5").unwrap(), registry.named("work").unwrap());
    assert_eq!(after.aliases, ["claude-sonnet-5-5", "work"]);
    assert_eq!((after.prices, after.tier, after.context_window), (before.prices, before.tier, before.context_window));
    assert!(registry.named("sonnet").is_none());
    assert!(registry.named("claude-opus-4-5-20251101").is_none());
    let gpt = registry.named("gpt-5.5").unwrap();
    assert!(!gpt.configured);
    assert_eq!(gpt.prices.unwrap().base.cache_read, PicoUsd(250_000));
    assert_eq!(gpt.prices.unwrap().base.output, built_in.named("gpt-5.5").unwrap().prices.unwrap().base.output);
}

/// Missing fields of a model that is not built in have defaults. Its aliases are removed from built-in models, but its
/// bare name does not replace theirs.
#[test]
fn a_users_model_has_defaults_for_omitted_fields() {
    let registry = with(
        "models:\n  acme:large:\n    tier: deep\n    context_window: 200000\n    aliases: [opus, mine]\n    \
         prices: {input: 3.00, output: '15', long_context: {above_tokens: 100000, input: 6, output: 30}}\n  \
         acme:claude-opus-4-7:\n    context_window: 1000\n",
    )
    .unwrap();
    let own = registry.named("opus").unwrap();
    assert_eq!(own.id.as_str(), "acme:large", "a user's alias is taken away from a built-in model");
    assert_eq!((own.max_output, own.configured, own.can_delegate), (200_000, true, false));
    assert_eq!((own.capabilities.images, own.capabilities.tools, own.capabilities.system_prompt), (false, true, true));
    let prices = own.prices.unwrap();
    assert_eq!((prices.base.cache_read, prices.base.cache_write_1h), (PicoUsd(3_000_000), PicoUsd(3_000_000)));
    let (above, long) = prices.long.unwrap();
    assert_eq!((above, long.input, long.cache_write_5m), (100_000, PicoUsd(6_000_000), PicoUsd(6_000_000)));
    let bare = registry.named("claude-opus-4-7").unwrap();
    assert_eq!(bare.id.as_str(), "anthropic:claude-opus-4-7", "a bare name stays with the built-in model");
    assert_eq!(bare.prices, load_registry(None).unwrap().get(&bare.id).unwrap().prices);
}

/// Errors in files, each with file, line and column.
#[test]
fn errors_are_reported_with_their_position() {
    let cases = [
        "models:\n  anthropic:claude-opus-4-7:\n    alias: [x]\n",
        "models:\n  a:b: {context_window: 1}\n  a:b: {context_window: 2}\n",
        "models:\n  a:b:\n    tier: huge\n",
        "models:\n  a:b:\n    context_window: many\n",
        "modles: {}\n",
        "models:\n  large: {context_window: 1}\n",
        "models:\n  a:b:\n    tier: fast\n",
        "models:\n  a:b:\n    context_window: 9\n    prices: {input: 1}\n",
        "models:\n  a:b:\n    context_window: 9\n    prices:\n      input: -1\n      output: .nan\n      \
         cache_read: 0.0000001\n      cache_write_5m: 1e99\n",
        "models:\n  a:b: {context_window: 9, aliases: [x]}\n  a:c: {context_window: 9, aliases: [X]}\n",
        "models:\n  a:b: {context_window: 9, aliases: ['two words', '@x', '']}\n",
        "models:\n  nobody:nothing: {remove: true}\n",
        "models:\n  a:b: {context_window: 9\n",
        "models: &x\n  a:b: {context_window: 9}\nmore: *x\n",
        "models: [1, 2]\n",
    ];
    let report = cases.map(|text| format!("{text}→ {}", errors(text).replace('\n', "\n→ ")));
    insta::assert_snapshot!(report.join("\n\n"));
}

/// An empty file, and one without models, changes nothing.
#[test]
fn without_a_file_or_with_an_empty_one_the_built_in_models_are_loaded() {
    let built_in = load_registry(None).unwrap();
    for text in ["", "\n", "# only a comment\n", "models:\n", "models: {}\n"] {
        assert_eq!(with(text).as_ref(), Ok(&built_in), "{text:?}");
    }
}

/// A file over the limit is an error.
#[test]
fn a_file_over_the_size_limit_is_an_error() {
    let text = " ".repeat(catalogue::MAX_BYTES + 1);
    assert_eq!(errors(&text), "models.yaml: the file has 2097153 bytes, the most is 2097152");
}

/// Entries that are written as YAML are parsed as the same entries, also with names that need quotes.
#[test]
fn encoded_models_are_parsed_to_equal_entries() {
    let entries = parse("built-in", BUILT_IN).unwrap();
    assert_eq!(parse("copy", &to_yaml("A copy.\n\nOf two lines.", &entries)).unwrap(), entries);
    let odd = r#"models:
  "a:b#c":
    remove: true
    aliases: ["null", "1e3", "a\"b\\"]
    prices: {input: 0.000001}
  a:empty: {}
"#;
    let entries = parse("odd", odd).unwrap();
    assert_eq!(parse("copy", &to_yaml("", &entries)).unwrap(), entries);
}

/// The canonical text of a registry is parsed to the same registry, which has the same text.
#[test]
fn the_text_of_a_registry_is_canonical_and_can_be_parsed() {
    let registry = load_registry(None).unwrap();
    let text = registry_text(&registry);
    assert_eq!(registry_from_text(&text).unwrap(), registry);
    assert_eq!(registry_text(&registry_from_text(&text).unwrap()), text);
    assert_eq!(registry_text(&Registry::default()), "[\n]\n");
    assert!(registry_from_text("{}").is_err());
}

/// The entries, dropped names and simplified models of a converted price list.
#[test]
fn a_price_list_is_converted_and_dropped_names_are_reported() {
    let conversion = litellm::convert_price_list(PRICE_LIST).unwrap();
    let dropped: Vec<String> =
        conversion.dropped.iter().map(|dropped| format!("{}: {}", dropped.name, dropped.reason)).collect();
    insta::assert_snapshot!(format!(
        "{}\nleft out:\n{}\nsimplified: {:?}\ncounts: {:#?}",
        to_yaml("Converted.", &conversion.entries),
        dropped.join("\n"),
        conversion.simplified,
        conversion.counts_by_reason()
    ));
}

/// Capabilities of thinking: an effort, a budget in tokens, or both. Models of the user, and models in recorded lists
/// without these fields, support both.
#[test]
fn a_price_list_states_which_models_accept_effort_and_thinking_budget() {
    let said = |id: &str| {
        let registry = load_registry(None).unwrap();
        let can = registry.named(id).unwrap().capabilities;
        (can.effort, can.thinking_budget)
    };
    for older in ["claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5", "gpt-4.1", "gpt-4o", "gemini-2.5-flash"] {
        assert_eq!(said(older), (false, true), "{older}");
    }
    assert_eq!(said("claude-opus-4-6"), (true, true), "the last that take both");
    for newer in ["claude-opus-4-7", "claude-sonnet-5-5", "claude-haiku-5-5"] {
        assert_eq!(said(newer), (true, false), "{newer}");
    }
    for newer in ["gpt-5", "gpt-5.3-codex", "gemini-3.1-pro-preview"] {
        assert_eq!(said(newer), (true, true), "{newer}");
    }
    let own = with("models: {\"acme:large\": {context_window: 9}}").unwrap();
    let own = own.named("acme:large").unwrap().capabilities;
    assert!(own.effort && own.thinking_budget, "what nobody says is taken to be taken");
    let text = registry_text(&load_registry(None).unwrap());
    let before = text.replace(",\"effort\":true", "").replace(",\"effort\":false", "");
    let before = registry_from_text(&before).unwrap();
    assert!(before.iter().all(|model| model.capabilities.effort), "lists of before there were efforts are still read");
}

/// A text that is not a JSON object is not a price list.
#[test]
fn a_text_that_is_no_price_list_is_an_error() {
    let check = |text: &str| litellm::convert_price_list(text).unwrap_err().to_string();
    assert!(check("[]").starts_with("not a price list, which is a JSON object of models: invalid type: sequence"));
    assert!(check("{\"a\":").ends_with("EOF while parsing a value at line 1 column 5"));
}

/// Creating the built-in list is an error if a model with a curated alias is missing in the price list.
#[test]
fn a_curated_model_missing_in_the_price_list_is_an_error() {
    let error = litellm::built_in_yaml(PRICE_LIST).unwrap_err().to_string();
    assert!(error.contains("`openai:gpt-6-astra`, which is not in the list: choose its successor"), "{error}");
}

/// D44: if one provider is configured, the tier names are aliases of that provider's models.
#[test]
fn d44_the_tiers_of_each_provider_select_its_own_models() {
    let registry = catalogue::load_registry(None).unwrap();
    let of = |provider: &str| {
        let models = registry.iter().cloned().map(|model| {
            let configured = model.provider.as_str() == provider;
            contracts::ModelSpec { configured, ..model }
        });
        let registry = contracts::Registry::new(models).unwrap();
        contracts::Tier::ALL
            .map(|tier| registry.tier(tier).map(|model| model.id.model().to_owned()).unwrap_or_default())
    };
    assert_eq!(of("anthropic"), ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"]);
    for (tier, model) in contracts::Tier::ALL.into_iter().zip(of("anthropic")) {
        assert_eq!(registry.named(tier.name()).unwrap().id.model(), model);
    }
    assert_eq!(of("openai"), ["gpt-6-luna", "gpt-6.1-sol", "gpt-6-astra"]);
    assert_eq!(of("google")[..2], ["gemini-3.8-flash", "gemini-4-argon"]);
}

/// The release date is the field `released`, or else the earliest date in a dated name; a text that is no date is an
/// error.
#[test]
fn a_release_date_is_the_field_or_the_earliest_dated_name() {
    let text = "models:\n  a:b: {context_window: 1, snapshots: [b-20251101, b-2025-10-01]}\n  a:c: {context_window: 1, released: 2026-09-22}\n  a:d: {context_window: 1}\n";
    let registry = catalogue::load_registry_over(catalogue::ModelFile { file: "m", text }, None).unwrap();
    let released: Vec<_> = registry.iter().map(|model| model.released.as_deref()).collect();
    assert_eq!(released, [Some("2025-10-01"), Some("2026-09-22"), None]);
    let text = "models:\n  a:b: {context_window: 1, released: soon}\n";
    let error = catalogue::load_registry_over(catalogue::ModelFile { file: "m", text }, None).unwrap_err().to_string();
    assert!(error.contains("`released` of `a:b` must be a date such as 2026-09-22, not `soon`"), "{error}");
}
