//! What a path says about a turn: the kind of file, and the part of the workspace.

/// The longest extension that counts as a kind of file, in bytes without the dot.
const EXTENSION_BYTES: usize = 16;

/// The extension of a file, lower case, with the dot: `.rs` for `src/Main.RS`.
///
/// A leading dot makes a hidden file, not an extension.
pub fn extension(path: &str) -> Option<String> {
    let name = path.rsplit(is_separator).next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'_');
    let counts =
        !stem.is_empty() && !extension.is_empty() && extension.len() <= EXTENSION_BYTES && extension.bytes().all(plain);
    counts.then(|| format!(".{}", extension.to_ascii_lowercase()))
}

/// The directory directly inside the workspace that a path leads into: `src` for `./src/main.rs`, `.github` for
/// `.github/workflows/ci.yml`.
///
/// `None` for a file in the workspace itself and for anything outside it: an absolute path is taken relative to
/// the workspace or, if it is not inside one, ignored.
pub fn top_directory(path: &str, workspace: Option<&str>) -> Option<String> {
    let inside = if is_absolute(path) { strip(path, workspace?)? } else { components(path)? };
    match inside.as_slice() {
        [directory, _, ..] => Some((*directory).to_owned()),
        _ => None,
    }
}

/// The components of an absolute path behind those of its workspace.
fn strip<'a>(path: &'a str, workspace: &str) -> Option<Vec<&'a str>> {
    let workspace = components(workspace)?;
    let mut path = components(path)?;
    path.starts_with(&workspace).then(|| path.split_off(workspace.len()))
}

/// The components of a path, `.` and `..` resolved; `None` when it leads out of where it starts.
fn components(path: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    for component in path.split(is_separator) {
        match component {
            "" | "." => {}
            ".." => drop(found.pop()?),
            name => found.push(name),
        }
    }
    Some(found)
}

/// `/` everywhere, and `\` since clients on Windows write it.
const fn is_separator(character: char) -> bool {
    matches!(character, '/' | '\\')
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(is_separator) || matches!(path.as_bytes(), [drive, b':', ..] if drive.is_ascii_alphabetic())
}
