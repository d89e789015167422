//! What each crate may use: the arrows of docs/architecture.md.

/// What one crate of ours may use of ours, as a normal or build dependency.
pub(super) struct Rule {
    pub(super) package: &'static str,
    pub(super) may_use: &'static [&'static str],
    /// Whether it may link nothing that waits, stores or talks.
    pub(super) pure: bool,
}

const fn pure(package: &'static str, may_use: &'static [&'static str]) -> Rule {
    Rule { package, may_use, pure: true }
}

const fn effects(package: &'static str, may_use: &'static [&'static str]) -> Rule {
    Rule { package, may_use, pure: false }
}

/// Concerns meet in events and views: none of adapters, availability, costs, evaluator, patterns, router-core, transcripts
/// uses another.
pub(super) const RULES: &[Rule] = &[
    pure("event-core", &[]),
    pure("contracts", &["event-core"]),
    pure("availability", &["contracts", "event-core"]),
    pure("catalogue", &["contracts"]),
    pure("costs", &["contracts", "event-core"]),
    pure("evaluator", &["contracts", "event-core"]),
    pure("patterns", &["contracts", "event-core"]),
    pure("router-core", &["contracts", "event-core"]),
    pure("wire", &["contracts", "event-core"]),
    effects("adapters", &[]),
    // The readers fill in token estimates.
    effects("transcripts", &["catalogue", "contracts", "event-core"]),
    effects("event-bus", &["event-core"]),
    effects(
        "engine",
        &[
            "adapters",
            "availability",
            "catalogue",
            "contracts",
            "costs",
            "evaluator",
            "event-bus",
            "event-core",
            "patterns",
            "router-core",
            "transcripts",
        ],
    ),
    effects(
        "what-if",
        &["catalogue", "contracts", "costs", "engine", "event-bus", "event-core", "patterns", "router-core"],
    ),
    effects(
        "gateway",
        &[
            "adapters",
            "availability",
            "catalogue",
            "contracts",
            "costs",
            "engine",
            "evaluator",
            "event-bus",
            "event-core",
            "router-core",
            "what-if",
            "wire",
        ],
    ),
    effects(
        "cli",
        &[
            "adapters",
            "availability",
            "catalogue",
            "contracts",
            "costs",
            "engine",
            "evaluator",
            "event-bus",
            "event-core",
            "gateway",
            "patterns",
            "router-core",
            "transcripts",
            "what-if",
        ],
    ),
    // It reads the vocabulary to document it, and runs everything else as a program.
    effects("xtask", &["contracts", "event-core", "router-core"]),
    // What fuzzing tries.
    effects(
        "hostile-input",
        &["catalogue", "contracts", "engine", "event-bus", "event-core", "router-core", "transcripts"],
    ),
    // What the pattern store is worth, on public prompts.
    effects("quality", &["contracts", "event-core", "patterns"]),
    // A provider made up for tests.
    effects("mock-upstream", &[]),
    // What benchmarks measure.
    effects("processor-time", &[]),
    // A third party's projection, and a user's policy tests.
    pure("slow-calls", &["contracts", "event-core"]),
    effects("policy-snapshots", &["catalogue", "contracts", "router-core"]),
];

/// Libraries that one crate names and no other.
pub(super) const OWNED: &[(&str, &str)] =
    &[("bincode", "event-core"), ("crossbeam-channel", "event-bus"), ("sled", "event-bus")];

/// What a pure crate must not link.
pub(super) const IMPURE: &[&str] = &["crossbeam-channel", "hyper", "reqwest", "sled", "tokio"];
