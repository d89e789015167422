//! Extensions and top-level directories of the paths in a tool call.

use std::collections::BTreeSet;

/// Extensions and top-level directories of the paths in one tool call.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct PathFeatures {
    /// Extensions, in lower case, with the dot.
    pub(crate) extensions: BTreeSet<String>,
    /// Top-level directories inside the workspace.
    pub(crate) directories: BTreeSet<String>,
}

impl PathFeatures {
    /// Adds the extension and the top-level directory of a path or a glob. `is_file` means that its last component is
    /// not a directory; otherwise a path without an extension is assumed to be one. Directories outside `workspace` are
    /// not added, and none are if the workspace is unknown (`None`).
    pub(crate) fn add(&mut self, path: &str, workspace: Option<&str>, is_file: bool) {
        let extension = extension(path);
        if let Some(relative) = path_in_workspace(path, workspace) {
            let mut components = relative.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".");
            let first_component = components.next();
            let is_directory = components.next().is_some() || (!is_file && extension.is_none());
            if let Some(first_component) = first_component
                && is_directory
                && first_component != ".."
                && !first_component.contains(['*', '?', '{', '['])
            {
                self.directories.insert(first_component.to_owned());
            }
        }
        self.extensions.extend(extension);
    }
}

/// Returns the part of a path below the workspace, with its leading separator, or all of a relative path; `None` if the path is absolute and
/// outside the workspace, or the workspace is unknown.
pub(super) fn path_in_workspace<'a>(path: &'a str, workspace: Option<&str>) -> Option<&'a str> {
    let is_absolute = path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':');
    if !is_absolute {
        return Some(path);
    }
    let relative = path.strip_prefix(workspace?.trim_end_matches(['/', '\\']))?;
    (relative.is_empty() || relative.starts_with(['/', '\\'])).then_some(relative)
}

/// Returns the extension of the file name in a path, in lower case with the dot; `None` if there is none, or if it is
/// longer than 12 bytes, not alphanumeric, or the entire name (`.env`).
fn extension(path: &str) -> Option<String> {
    let name = path.rsplit(['/', '\\']).next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let fits = !stem.is_empty() && !extension.is_empty() && extension.len() <= 12;
    let alphanumeric = extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (fits && alphanumeric).then(|| format!(".{}", extension.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::PathFeatures;

    /// A path has an extension, and a top-level directory if it is inside the workspace.
    #[test]
    fn paths_give_extensions_and_directories_inside_the_workspace() {
        let check = |path: &str, is_file: bool, extension: &str, directory: &str| {
            let mut path_features = PathFeatures::default();
            path_features.add(path, Some("/home/dev/shop"), is_file);
            let joined = |set: &std::collections::BTreeSet<String>| set.iter().cloned().collect::<String>();
            assert_eq!(
                (joined(&path_features.extensions), joined(&path_features.directories)),
                (extension.to_owned(), directory.to_owned()),
                "{path}"
            );
        };
        check("/home/dev/shop/src/cart.RS", true, ".rs", "src");
        check("/home/dev/shop/README.md", true, ".md", "");
        check("/home/dev/shop/Makefile", true, "", "");
        check("/home/dev/shop/tests", false, "", "tests");
        check("/home/dev/shopping/src/a.go", true, ".go", "");
        check("/etc/hosts", true, "", "");
        check("web/app.d.ts", true, ".ts", "web");
        check("./web/.env", true, "", "web");
        check("../other/a.py", true, ".py", "");
        check("**/*.tsx", false, ".tsx", "");
        check("src/**/*.{ts,tsx}", false, "", "src");
        check(r"C:\other\a.cs", true, ".cs", "");
    }
}
