//! The files that a tool call writes or reverts, as hashes of their paths.

use std::collections::BTreeSet;

use event_core::EventId;

use super::path_features::path_in_workspace;

/// The files that a tool call writes or reverts, as hashes of their paths. The evaluator recognises reverted work by
/// them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct FileEffects {
    /// First 32 bits of the hash of each path.
    pub(crate) files: BTreeSet<u32>,
    /// Whether the call reverts earlier changes: of `files`, or of all files if `files` is empty.
    pub(crate) reverts: bool,
}

impl FileEffects {
    /// Adds the hash of the file at `path`. `workspace` is the path of the workspace; `None` if unknown.
    pub(crate) fn add(&mut self, path: &str, workspace: Option<&str>) {
        self.files.insert(path_hash(path, workspace));
    }
}

/// Returns the first 32 bits of the hash of a file's path. The path is made relative to the workspace if it is inside,
/// and freed of `.` and `..`, so that equivalent paths have one hash.
fn path_hash(path: &str, workspace: Option<&str>) -> u32 {
    let relative = path_in_workspace(path, workspace);
    let mut parts: Vec<&str> = Vec::new();
    for part in relative.unwrap_or(path).split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let location: &[u8] = if relative.is_some() { b"inside" } else { b"outside" };
    let [a, b, c, d, ..] = EventId::derive(&[b"file", location, parts.join("/").as_bytes()]).0;
    u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::path_hash;

    /// Equivalent paths have the same hash, and different paths have different ones.
    #[test]
    fn every_way_to_write_a_path_gives_the_same_number() {
        let here = |path| path_hash(path, Some("/home/dev/shop/"));
        for path in ["/home/dev/shop/src/a.rs", "src/a.rs", "./src/a.rs", "src//b/../a.rs", r"src\a.rs"] {
            assert_eq!(here(path), here("src/a.rs"), "{path}");
        }
        for path in ["src/A.rs", "a.rs", "/src/a.rs", "../src/a.rs", "/home/dev/shop2/src/a.rs"] {
            assert_ne!(here(path), here("src/a.rs"), "{path}");
        }
        assert_eq!(path_hash("/tmp/x/../a", None), path_hash("/tmp/a", None));
    }
}
