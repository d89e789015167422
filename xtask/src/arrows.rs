//! Dependencies that the architecture does not allow.

mod graph;
mod rules;

use std::collections::BTreeMap;

use crate::{
    failure::{Failure, Outcome},
    program,
};
use graph::{Graph, Package};
use rules::{IMPURE, OWNED, RULES, Rule};

pub(crate) fn run() -> Outcome {
    let metadata = program::capture(&mut program::cargo(&["metadata", "--format-version", "1", "--locked"]))?;
    let graph = Graph::from_metadata(&metadata)?;
    Failure::unless_empty("forbidden arrows", &forbidden(&graph))?;
    println!("arrows: {} crates depend only on what they may", graph.members().count());
    Ok(())
}

/// Every arrow that no rule allows, as a sentence.
fn forbidden(graph: &Graph) -> Vec<String> {
    let rules: BTreeMap<&str, &Rule> = RULES.iter().map(|rule| (rule.package, rule)).collect();
    let mut findings = Vec::new();
    for package in graph.members() {
        let Some(rule) = rules.get(package.name.as_str()) else {
            findings.push(format!("`{}` has no rule: add one to xtask/src/arrows/rules.rs", package.name));
            continue;
        };
        findings.extend(own_arrows(graph, package, rule));
        findings.extend(owned_libraries(package));
        if rule.pure {
            findings.extend(impure_links(graph, package));
        }
    }
    findings
}

/// Arrows between our own crates.
fn own_arrows(graph: &Graph, package: &Package, rule: &Rule) -> Vec<String> {
    let ours = package.dependencies.iter().filter(|name| graph.is_member(name));
    let refused = ours.filter(|name| !rule.may_use.contains(&name.as_str()));
    refused
        .map(|name| {
            let allowed = if rule.may_use.is_empty() { "none of ours".to_owned() } else { rule.may_use.join(", ") };
            format!("`{}` -> `{name}`: it may use {allowed}", package.name)
        })
        .collect()
}

/// Libraries that live in one crate.
fn owned_libraries(package: &Package) -> Vec<String> {
    let owned = OWNED.iter().filter(|(library, owner)| {
        *owner != package.name && package.dependencies.iter().any(|dependency| dependency == library)
    });
    owned.map(|(library, owner)| format!("`{}` -> `{library}`: only `{owner}` may use it", package.name)).collect()
}

/// What a pure crate must not link, however far away, with the way there.
fn impure_links(graph: &Graph, package: &Package) -> Vec<String> {
    let found = IMPURE.iter().filter_map(|library| graph.path(&package.name, library));
    found.map(|path| format!("`{}` is pure and links {}", package.name, path.join(" -> "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace of the named members, and the arrows between packages.
    fn graph(members: &[&str], arrows: &[(&str, &str)]) -> Graph {
        Graph::new(members, arrows)
    }

    #[test]
    fn arrows_of_the_architecture_are_allowed() {
        let arrows =
            [("contracts", "event-core"), ("costs", "contracts"), ("engine", "costs"), ("event-core", "bincode")];
        let graph = graph(&["event-core", "contracts", "costs", "engine"], &arrows);
        assert_eq!(forbidden(&graph), Vec::<String>::new());
    }

    #[test]
    fn a_forbidden_arrow_is_named() {
        let graph = graph(&["costs", "patterns"], &[("costs", "patterns")]);
        assert_eq!(forbidden(&graph), ["`costs` -> `patterns`: it may use contracts, event-core"]);
    }

    #[test]
    fn a_library_stays_with_its_owner() {
        let graph = graph(&["engine"], &[("engine", "sled")]);
        assert_eq!(forbidden(&graph), ["`engine` -> `sled`: only `event-bus` may use it"]);
    }

    #[test]
    fn a_pure_crate_that_links_a_runtime_is_named_with_the_way_there() {
        let arrows = [("router-core", "helper"), ("helper", "client"), ("client", "tokio")];
        let graph = graph(&["router-core"], &arrows);
        assert_eq!(forbidden(&graph), ["`router-core` is pure and links router-core -> helper -> client -> tokio"]);
    }

    #[test]
    fn a_crate_without_a_rule_is_named() {
        let graph = graph(&["newcomer"], &[]);
        assert_eq!(forbidden(&graph), ["`newcomer` has no rule: add one to xtask/src/arrows/rules.rs"]);
    }

    #[test]
    fn no_rule_lets_two_concerns_meet() {
        let concerns = ["adapters", "availability", "costs", "evaluator", "patterns", "router-core", "transcripts"];
        for rule in RULES.iter().filter(|rule| concerns.contains(&rule.package)) {
            assert!(rule.may_use.iter().all(|name| !concerns.contains(name)), "{}", rule.package);
        }
    }
}
