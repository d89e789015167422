//! Finds the client's working directory in the texts that clients add to a prompt.

use contracts::WireApi;
use memchr::memmem;

use crate::json::decode_string;

/// The maximum length of a path in bytes, with its escapes; a longer one is ignored.
const MAX_BYTES: usize = 1024;

/// Returns the working directory that the client wrote into a prompt. Tries the markers of the API in order, and takes the
/// text after the first occurrence of a marker, up to `<` or the end of the line. A path that is relative or longer than
/// [`MAX_BYTES`] is skipped. `None` if no marker is followed by a path. `raw` is the content of a JSON string with its
/// escapes.
pub(crate) fn find_workspace(api: WireApi, raw: &str) -> Option<String> {
    crate::api::implementation(api).workspace_markers().iter().find_map(|marker| {
        let start = memmem::find(raw.as_bytes(), marker.as_bytes())?;
        let after_marker = raw.get(start + marker.len()..)?;
        let end = after_marker
            .find(['<', '\n'])
            .into_iter()
            .chain(line_end(after_marker))
            .min()
            .unwrap_or(after_marker.len());
        let path = decode_string(after_marker.get(..end).filter(|path| path.len() <= MAX_BYTES)?);
        let path = path.trim();
        let has_drive = path.as_bytes().get(1..3).is_some_and(|bytes| bytes == b":\\" || bytes == b":/");
        (path.starts_with('/') || has_drive).then(|| path.to_owned())
    })
}

/// Returns the byte offset of the first escaped line break, `\n` or `\r`; `None` if there is none. In an escaped
/// backslash followed by `n` the `n` is no line break.
fn line_end(raw: &str) -> Option<usize> {
    let mut searched_bytes = 0;
    loop {
        let escape = searched_bytes + raw.get(searched_bytes..)?.find('\\')?;
        match raw.as_bytes().get(escape + 1)? {
            b'n' | b'r' => return Some(escape),
            _ => searched_bytes = escape + 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use contracts::WireApi;

    use super::find_workspace;

    #[test]
    fn each_client_s_words_for_its_directory_are_known() {
        let check = |raw: &str, expected: Option<&str>| {
            let found = WireApi::ALL.into_iter().find_map(|api| find_workspace(api, raw));
            assert_eq!(found.as_deref(), expected, "{raw}");
        };
        check(r"<env>\nWorking directory: /home/dev/shop\nIs directory a git repo: Yes", Some("/home/dev/shop"));
        check(r" - Primary working directory: /home/dev\n", Some("/home/dev"));
        check(r"<environment_context>\n  <cwd>/tmp/a b</cwd>\n", Some("/tmp/a b"));
        check(r"- **Workspace Directories:**\n  - /srv/x\n- **Directory", Some("/srv/x"));
        check(r"I'm currently working in the directory: /srv/y\n", Some("/srv/y"));
        check(r"Working directory: C:\\new\\rust\nPlatform: win32", Some(r"C:\new\rust"));
        check(r"Working directory: unknown\n", None);
        check("no word of it", None);
    }
}
