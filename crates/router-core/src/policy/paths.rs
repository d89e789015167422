//! Normalises the paths of workspaces by their text alone, without access to the file system (decision D7).

/// Normalises a path: returns it as an absolute path without `.`, `..`, repeated or trailing slashes. A leading `~` is
/// replaced by `home`; `~user` is not resolved.
///
/// `None` if the path is not absolute, such as `~` if `home` is `None`. Symbolic links are not resolved (004 §11.1
/// leaves them open).
pub fn normalize_path(path: &str, home: Option<&str>) -> Option<String> {
    let expanded_path = match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.to_owned(),
    };
    if !expanded_path.starts_with('/') {
        return None;
    }
    let mut parts = Vec::new();
    for part in expanded_path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}
