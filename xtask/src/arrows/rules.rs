//! The allowed dependencies of each crate, as drawn in docs/architecture.md.

/// The dependencies that one crate of the workspace may have.
pub(super) struct Rule {
    /// The name of the crate.
    pub(super) package: &'static str,
    /// The crates of the workspace that it may depend on, except in tests.
    pub(super) allowed: &'static [&'static str],
    /// Whether it must not link any of [`IMPURE_LIBRARIES`].
    pub(super) pure: bool,
}

/// Creates the rule of a crate without effects.
const fn pure_crate(package: &'static str, allowed: &'static [&'static str]) -> Rule {
    Rule { package, allowed, pure: true }
}

/// Creates the rule of a crate that may have effects, such as I/O.
const fn effectful_crate(package: &'static str, allowed: &'static [&'static str]) -> Rule {
    Rule { package, allowed, pure: false }
}

/// The rules of all crates.
///
/// Concerns are connected by events and views only: none of adapters, availability, costs, evaluator, patterns,
/// router-core and transcripts depends on another, except adapters on wire.
pub(super) const RULES: &[Rule] = &[
    pure_crate("event-core", &[]),
    pure_crate("contracts", &["event-core"]),
    pure_crate("availability", &["contracts", "event-core"]),
    pure_crate("catalogue", &["contracts"]),
    pure_crate("costs", &["contracts", "event-core"]),
    pure_crate("evaluator", &["contracts", "event-core"]),
    pure_crate("patterns", &["contracts", "event-core"]),
    pure_crate("router-core", &["contracts", "event-core"]),
    // The chain evaluator of every decision kind is in router-core.
    pure_crate("skills", &["contracts", "event-core", "router-core"]),
    pure_crate("client-formats", &["contracts"]),
    pure_crate("wire", &["client-formats", "contracts", "event-core"]),
    // Providers classify errors as their wire API writes them.
    effectful_crate("adapters", &["contracts", "wire"]),
    // The readers fill in token estimates.
    effectful_crate("transcripts", &["catalogue", "client-formats", "contracts", "event-core"]),
    effectful_crate("event-bus", &["event-core"]),
    effectful_crate("skill-files", &["event-core", "skills"]),
    effectful_crate(
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
            "skill-files",
            "skills",
            "transcripts",
        ],
    ),
    effectful_crate(
        "what-if",
        &["catalogue", "contracts", "costs", "engine", "event-bus", "event-core", "patterns", "router-core", "skills"],
    ),
    effectful_crate("control", &["contracts", "engine", "evaluator", "event-core", "router-core", "transcripts"]),
    effectful_crate(
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
            "skills",
            "what-if",
            "wire",
        ],
    ),
    effectful_crate(
        "cli",
        &[
            "adapters",
            "availability",
            "catalogue",
            "client-formats",
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
            "skill-files",
            "skills",
            "transcripts",
            "what-if",
        ],
    ),
    // Documents the events; runs everything else as a program.
    effectful_crate("xtask", &["contracts", "event-core", "router-core"]),
    // Bodies of the fuzz targets.
    effectful_crate(
        "hostile-input",
        &[
            "catalogue",
            "contracts",
            "control",
            "engine",
            "event-bus",
            "event-core",
            "router-core",
            "skills",
            "transcripts",
            "wire",
        ],
    ),
    // Benchmark of the pattern store on public prompts.
    effectful_crate("quality", &["contracts", "event-core", "patterns", "skills"]),
    // Simulated provider for tests.
    effectful_crate("mock-upstream", &[]),
    // Events for tests.
    pure_crate("test-events", &["contracts", "event-core"]),
    // Clock of the benchmarks.
    effectful_crate("processor-time", &[]),
    // Examples: a third-party projection, and a user's tests of a policy.
    pure_crate("slow-calls", &["contracts", "event-core"]),
    effectful_crate("policy-snapshots", &["catalogue", "contracts", "router-core"]),
];

/// Libraries, each with the only crate that may depend on it.
pub(super) const OWNED_LIBRARIES: &[(&str, &str)] =
    &[("bincode", "event-core"), ("crossbeam-channel", "event-bus"), ("sled", "event-bus")];

/// Libraries with effects, which pure crates must not link, not even indirectly.
pub(super) const IMPURE_LIBRARIES: &[&str] = &["crossbeam-channel", "hyper", "reqwest", "sled", "tokio"];
