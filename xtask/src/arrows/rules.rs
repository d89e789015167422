//! The allowed dependencies of each crate, as drawn in docs/architecture.md.

/// The crates of the workspace that one of them may depend on (normal and build dependencies).
pub(super) struct Rule {
    pub(super) package: &'static str,
    pub(super) may_use: &'static [&'static str],
    /// Whether it must not link a library of [`IMPURE`].
    pub(super) pure: bool,
}

const fn pure(package: &'static str, may_use: &'static [&'static str]) -> Rule {
    Rule { package, may_use, pure: true }
}

const fn effects(package: &'static str, may_use: &'static [&'static str]) -> Rule {
    Rule { package, may_use, pure: false }
}

/// Concerns are connected by events and views only: none of adapters, availability, costs, evaluator, patterns,
/// router-core and transcripts depends on another, except adapters on wire.
pub(super) const RULES: &[Rule] = &[
    pure("event-core", &[]),
    pure("contracts", &["event-core"]),
    pure("availability", &["contracts", "event-core"]),
    pure("catalogue", &["contracts"]),
    pure("costs", &["contracts", "event-core"]),
    pure("evaluator", &["contracts", "event-core"]),
    pure("patterns", &["contracts", "event-core"]),
    pure("router-core", &["contracts", "event-core"]),
    pure("client-formats", &["contracts"]),
    pure("wire", &["client-formats", "contracts", "event-core"]),
    // Providers classify errors as their wire API writes them.
    effects("adapters", &["contracts", "wire"]),
    // The readers fill in token estimates.
    effects("transcripts", &["catalogue", "client-formats", "contracts", "event-core"]),
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
    effects("control", &["contracts", "engine", "evaluator", "router-core", "transcripts"]),
    effects(
        "gateway",
        &[
            "adapters",
            "availability",
            "catalogue",
            "contracts",
            "control",
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
            "control",
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
    // Documents the events; runs everything else as a program.
    effects("xtask", &["contracts", "event-core", "router-core"]),
    // Bodies of the fuzz targets.
    effects(
        "hostile-input",
        &["catalogue", "contracts", "engine", "event-bus", "event-core", "router-core", "transcripts"],
    ),
    // Benchmark of the pattern store on public prompts.
    effects("quality", &["contracts", "event-core", "patterns"]),
    // Simulated provider for tests.
    effects("mock-upstream", &[]),
    // Clock of the benchmarks.
    effects("processor-time", &[]),
    // Examples: a third-party projection, and a user's tests of a policy.
    pure("slow-calls", &["contracts", "event-core"]),
    effects("policy-snapshots", &["catalogue", "contracts", "router-core"]),
];

/// Libraries that only the named crate may depend on.
pub(super) const OWNED: &[(&str, &str)] =
    &[("bincode", "event-core"), ("crossbeam-channel", "event-bus"), ("sled", "event-bus")];

/// Libraries with effects: pure crates must not link them, not even indirectly.
pub(super) const IMPURE: &[&str] = &["crossbeam-channel", "hyper", "reqwest", "sled", "tokio"];
