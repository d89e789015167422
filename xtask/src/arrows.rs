//! Checks the dependencies between crates against the rules of the architecture.

mod graph;
mod rules;

use std::collections::BTreeMap;

use crate::{
    failure::{Failure, Outcome},
    program,
};
use graph::{Graph, Package};
use rules::{IMPURE_LIBRARIES, OWNED_LIBRARIES, RULES, Rule};

/// Checks the dependencies between the crates of the workspace. Fails if a crate depends on one that its rule does not
/// allow.
pub(crate) fn run() -> Outcome {
    let metadata = program::capture_output(&mut program::cargo(&["metadata", "--format-version", "1", "--locked"]))?;
    let graph = Graph::from_metadata(&metadata)?;
    Failure::unless_empty("forbidden dependencies", &forbidden_dependencies(&graph))?;
    println!("arrows: {} crates have allowed dependencies only", graph.members().count());
    Ok(())
}

/// Returns a sentence for every dependency that no rule allows.
fn forbidden_dependencies(graph: &Graph) -> Vec<String> {
    let rules: BTreeMap<&str, &Rule> = RULES.iter().map(|rule| (rule.package, rule)).collect();
    let mut findings = Vec::new();
    for package in graph.members() {
        let Some(rule) = rules.get(package.name.as_str()) else {
            findings.push(format!("`{}` has no rule: add one to xtask/src/arrows/rules.rs", package.name));
            continue;
        };
        findings.extend(internal_dependencies(graph, package, rule));
        findings.extend(owned_libraries(package));
        if rule.pure {
            findings.extend(impure_links(graph, package));
        }
    }
    findings
}

/// Returns a sentence for every dependency on a crate of the workspace that the rule does not list.
fn internal_dependencies(graph: &Graph, package: &Package, rule: &Rule) -> Vec<String> {
    let internal_dependencies = package.dependencies.iter().filter(|name| graph.is_member(name));
    let forbidden_dependencies = internal_dependencies.filter(|name| !rule.allowed.contains(&name.as_str()));
    forbidden_dependencies
        .map(|name| {
            let allowed =
                if rule.allowed.is_empty() { "no crate of the workspace".to_owned() } else { rule.allowed.join(", ") };
            format!("`{}` -> `{name}`: allowed are {allowed}", package.name)
        })
        .collect()
}

/// Returns a sentence for every library on which the package depends although only another crate may do so.
fn owned_libraries(package: &Package) -> Vec<String> {
    let owned = OWNED_LIBRARIES.iter().filter(|(library, owner)| {
        *owner != package.name && package.dependencies.iter().any(|dependency| dependency == library)
    });
    owned.map(|(library, owner)| format!("`{}` -> `{library}`: only `{owner}` may use it", package.name)).collect()
}

/// Returns a sentence for every library with effects (such as I/O) that a pure crate links, directly or not, with the
/// path of dependencies.
fn impure_links(graph: &Graph, package: &Package) -> Vec<String> {
    let found = IMPURE_LIBRARIES.iter().filter_map(|library| graph.shortest_path(&package.name, library));
    found.map(|path| format!("`{}` is pure and links {}", package.name, path.join(" -> "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a workspace with these members and dependencies.
    fn graph(members: &[&str], arrows: &[(&str, &str)]) -> Graph {
        Graph::new(members, arrows)
    }

    #[test]
    fn dependencies_of_the_architecture_are_allowed() {
        let arrows =
            [("contracts", "event-core"), ("costs", "contracts"), ("engine", "costs"), ("event-core", "bincode")];
        let graph = graph(&["event-core", "contracts", "costs", "engine"], &arrows);
        assert_eq!(forbidden_dependencies(&graph), Vec::<String>::new());
    }

    #[test]
    fn forbidden_dependency_is_reported() {
        let graph = graph(&["costs", "patterns"], &[("costs", "patterns")]);
        assert_eq!(forbidden_dependencies(&graph), ["`costs` -> `patterns`: allowed are contracts, event-core"]);
    }

    #[test]
    fn library_of_another_owner_is_reported() {
        let graph = graph(&["engine"], &[("engine", "sled")]);
        assert_eq!(forbidden_dependencies(&graph), ["`engine` -> `sled`: only `event-bus` may use it"]);
    }

    #[test]
    fn pure_crate_that_links_a_runtime_is_reported_with_the_path() {
        let arrows = [("router-core", "helper"), ("helper", "client"), ("client", "tokio")];
        let graph = graph(&["router-core"], &arrows);
        assert_eq!(
            forbidden_dependencies(&graph),
            ["`router-core` is pure and links router-core -> helper -> client -> tokio"]
        );
    }

    #[test]
    fn crate_without_a_rule_is_reported() {
        let graph = graph(&["newcomer"], &[]);
        assert_eq!(forbidden_dependencies(&graph), ["`newcomer` has no rule: add one to xtask/src/arrows/rules.rs"]);
    }

    #[test]
    fn no_rule_connects_two_concerns() {
        let concerns = ["adapters", "availability", "costs", "evaluator", "patterns", "router-core", "transcripts"];
        for rule in RULES.iter().filter(|rule| concerns.contains(&rule.package)) {
            assert!(rule.allowed.iter().all(|name| !concerns.contains(name)), "{}", rule.package);
        }
    }
}
