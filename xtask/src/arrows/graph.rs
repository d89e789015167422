//! The graph of dependencies between packages, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Deserialize;

use crate::failure::{Failure, Outcome};

/// A crate of the workspace with the dependencies that its manifest declares.
#[derive(Debug)]
pub(super) struct Package {
    /// The name of the package.
    pub(super) name: String,
    /// Normal and build dependencies, without those of tests.
    pub(super) dependencies: BTreeSet<String>,
}

/// The crates of the workspace, and the dependencies between all packages.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The crates of the workspace, by name.
    members: BTreeMap<String, Package>,
    /// The resolved normal dependencies of every package, by name. Versions of one package are merged.
    links: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// Parses the output of `cargo metadata --format-version 1` to a graph of dependencies; fails if it is not in that
    /// format.
    pub(super) fn from_metadata(text: &str) -> Outcome<Self> {
        let metadata: Metadata = serde_json::from_str(text)
            .map_err(|error| Failure::new(format!("cannot read the output of `cargo metadata`: {error}")))?;
        let names: BTreeMap<&str, &str> =
            metadata.packages.iter().map(|package| (package.id.as_str(), package.name.as_str())).collect();
        let mut graph = Self::default();
        for package in metadata.packages.iter().filter(|package| metadata.workspace_members.contains(&package.id)) {
            let not_dev = package.dependencies.iter().filter(|dependency| dependency.kind.as_deref() != Some("dev"));
            let dependencies = not_dev.map(|dependency| dependency.name.clone()).collect();
            graph.members.insert(package.name.clone(), Package { name: package.name.clone(), dependencies });
        }
        for node in &metadata.resolve.nodes {
            let Some(name) = names.get(node.id.as_str()) else { continue };
            let links = node.deps.iter().filter(|edge| edge.dep_kinds.iter().any(|kind| kind.kind.is_none()));
            let links = links.filter_map(|edge| names.get(edge.pkg.as_str()).map(|name| (*name).to_owned()));
            graph.links.entry((*name).to_owned()).or_default().extend(links);
        }
        Ok(graph)
    }

    /// Returns the crates of the workspace, by name.
    pub(super) fn members(&self) -> impl Iterator<Item = &Package> {
        self.members.values()
    }

    /// Returns whether the workspace has a crate with this name.
    pub(super) fn is_member(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// Returns the shortest path of dependencies from one package to another, both included; `None` if there is none.
    pub(super) fn shortest_path(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut predecessor = BTreeMap::from([(from, None)]);
        let mut queue = VecDeque::from([from]);
        while let Some(name) = queue.pop_front() {
            if name == to {
                let path = std::iter::successors(Some(name), |name| predecessor.get(name).copied().flatten());
                let mut path: Vec<_> = path.map(str::to_owned).collect();
                path.reverse();
                return Some(path);
            }
            for dependency in self.links.get(name).into_iter().flatten() {
                predecessor.entry(dependency).or_insert_with(|| {
                    queue.push_back(dependency);
                    Some(name)
                });
            }
        }
        None
    }

    /// Builds a graph for tests from the names of workspace crates and pairs of a package and its dependency.
    #[cfg(test)]
    pub(super) fn new(members: &[&str], arrows: &[(&str, &str)]) -> Self {
        let mut graph = Self::default();
        for (from, to) in arrows {
            graph.links.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        for name in members {
            let dependencies = graph.links.get(*name).cloned().unwrap_or_default();
            graph.members.insert((*name).to_owned(), Package { name: (*name).to_owned(), dependencies });
        }
        graph
    }
}

/// The fields of the output of `cargo metadata` that are used.
#[derive(Deserialize)]
struct Metadata {
    /// All packages, those of the workspace included.
    packages: Vec<MetadataPackage>,
    /// The ids of the crates of the workspace.
    workspace_members: Vec<String>,
    /// The resolved dependencies.
    resolve: Resolve,
}

/// A package in the output of `cargo metadata`, with the dependencies of its manifest.
#[derive(Deserialize)]
struct MetadataPackage {
    /// The name of the package.
    name: String,
    /// The id, unique among all packages.
    id: String,
    /// The dependencies of the manifest.
    dependencies: Vec<Dependency>,
}

/// A dependency in the manifest of a package.
#[derive(Deserialize)]
struct Dependency {
    /// The name of the package depended on.
    name: String,
    /// `null` for a normal dependency, else `dev` or `build`.
    kind: Option<String>,
}

/// The graph of resolved dependencies in the output of `cargo metadata`.
#[derive(Deserialize)]
struct Resolve {
    /// One node for each package.
    nodes: Vec<Node>,
}

/// A package in the graph of resolved dependencies.
#[derive(Deserialize)]
struct Node {
    /// The id of the package.
    id: String,
    /// The resolved dependencies.
    deps: Vec<Edge>,
}

/// A dependency in the graph of resolved dependencies.
#[derive(Deserialize)]
struct Edge {
    /// The id of the package depended on.
    pkg: String,
    /// The kinds of this dependency; there may be several.
    dep_kinds: Vec<Kind>,
}

/// The kind of a dependency: normal, development or build.
#[derive(Deserialize)]
struct Kind {
    /// `null` for a normal dependency, else `dev` or `build`.
    kind: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The member `app` uses `tool` to build, `lib` to run and `check` to test; `lib` links `deep`.
    const METADATA: &str = r#"{
        "packages": [
            {"name": "app", "id": "path+app", "dependencies": [
                {"name": "lib", "kind": null}, {"name": "tool", "kind": "build"}, {"name": "check", "kind": "dev"}
            ]},
            {"name": "lib", "id": "registry+lib", "dependencies": [{"name": "deep", "kind": null}]},
            {"name": "tool", "id": "registry+tool", "dependencies": []},
            {"name": "check", "id": "registry+check", "dependencies": []},
            {"name": "deep", "id": "registry+deep", "dependencies": []}
        ],
        "workspace_members": ["path+app"],
        "resolve": {"nodes": [
            {"id": "path+app", "deps": [
                {"pkg": "registry+lib", "dep_kinds": [{"kind": null}]},
                {"pkg": "registry+tool", "dep_kinds": [{"kind": "build"}]},
                {"pkg": "registry+check", "dep_kinds": [{"kind": "dev"}]}
            ]},
            {"id": "registry+lib", "deps": [{"pkg": "registry+deep", "dep_kinds": [{"kind": null}]}]},
            {"id": "registry+tool", "deps": []},
            {"id": "registry+check", "deps": []},
            {"id": "registry+deep", "deps": []}
        ]}
    }"#;

    #[test]
    fn dependencies_of_tests_are_not_read_from_the_manifest() {
        let graph = Graph::from_metadata(METADATA).unwrap();
        let app: Vec<_> = graph.members().collect();
        assert_eq!(app.len(), 1);
        assert_eq!(app[0].dependencies.iter().collect::<Vec<_>>(), ["lib", "tool"]);
    }

    #[test]
    fn only_normal_dependencies_are_linked() {
        let graph = Graph::from_metadata(METADATA).unwrap();
        assert_eq!(graph.shortest_path("app", "deep").unwrap(), ["app", "lib", "deep"]);
        assert_eq!(graph.shortest_path("app", "tool"), None);
        assert_eq!(graph.shortest_path("app", "check"), None);
    }
}
