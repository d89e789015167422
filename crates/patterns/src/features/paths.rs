//! Features of file paths: the extension, and the top-level directory.

/// The greatest length of an extension, in bytes without the dot.
const MAX_EXTENSION: usize = 16;

/// Returns the extension of a file name in lower case, with the dot: `.rs` for `src/Main.RS`.
///
/// `None` if the name has no extension, or if the extension is longer than 16 bytes or has characters other than ASCII
/// letters, digits, `+`, `-` and `_`. The leading dot of a hidden file does not start an extension.
pub fn extension(path: &str) -> Option<String> {
    let name = path.rsplit(is_separator).next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'_');
    let has_valid_length = !extension.is_empty() && extension.len() <= MAX_EXTENSION;
    let is_extension = !stem.is_empty() && has_valid_length && extension.bytes().all(is_allowed);
    is_extension.then(|| format!(".{}", extension.to_ascii_lowercase()))
}

/// Returns the first directory of a path relative to the workspace: `src` for `./src/main.rs`, `.github` for
/// `.github/workflows/ci.yml`.
///
/// `None` for a file directly in the workspace and for a path outside it. An absolute path is made relative to the
/// workspace; without a workspace it is outside.
pub fn top_directory(path: &str, workspace: Option<&str>) -> Option<String> {
    let relative = if is_absolute(path) { relative_components(path, workspace?)? } else { path_components(path)? };
    match relative.as_slice() {
        [directory, _, ..] => Some((*directory).to_owned()),
        _ => None,
    }
}

/// Returns the components of an absolute path relative to the workspace; `None` if the path is outside the workspace.
fn relative_components<'a>(path: &'a str, workspace: &str) -> Option<Vec<&'a str>> {
    let workspace = path_components(workspace)?;
    let mut path = path_components(path)?;
    path.starts_with(&workspace).then(|| path.split_off(workspace.len()))
}

/// Splits a path into components and resolves `.` and `..`; `None` if `..` leads above its root.
fn path_components(path: &str) -> Option<Vec<&str>> {
    let mut components = Vec::new();
    for component in path.split(is_separator) {
        match component {
            "" | "." => {}
            ".." => drop(components.pop()?),
            name => components.push(name),
        }
    }
    Some(components)
}

/// Whether a character separates path components: `/`, or `\`, which clients on Windows send.
const fn is_separator(character: char) -> bool {
    matches!(character, '/' | '\\')
}

/// Whether a path is absolute: it starts with a separator or with a Windows drive letter (`C:`).
fn is_absolute(path: &str) -> bool {
    path.starts_with(is_separator) || matches!(path.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic())
}
