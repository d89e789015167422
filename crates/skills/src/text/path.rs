//! Paths in a request: of a path only the extension counts as a word (C-15 in docs/spec).

/// Extensions of files whose name alone, without a directory, is a path. `js` is missing because of names such as
/// `Node.js`.
const EXTENSIONS: &[&str] = &[
    "bat", "bmp", "c", "cc", "cfg", "conf", "cpp", "cs", "csproj", "css", "csv", "docx", "env", "fs", "gif", "go", "h",
    "hpp", "html", "ini", "ipynb", "java", "jpeg", "jpg", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "m4a",
    "md", "mdx", "mjs", "mp3", "mp4", "pdf", "php", "png", "pptx", "proto", "ps1", "py", "rb", "rs", "scss", "sh",
    "sln", "sql", "srt", "svg", "swift", "tf", "toml", "ts", "tsx", "txt", "vb", "vtt", "vue", "wav", "xlsx", "xml",
    "yaml", "yml", "zip",
];
/// The longest extension, in bytes.
const MAX_EXTENSION_BYTES: usize = 8;

/// A path as it is written in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestPath(pub(crate) String);

impl RequestPath {
    /// Returns the path that a word is; `None` if it is none. A path starts with `/`, `./`, `../`, `~/` or a drive, or has
    /// a slash and a file with an extension, or is the name of a file with a known extension. A line number behind it
    /// (`:12` or `#L12`) does not belong to it.
    pub(super) fn parse(word: &str) -> Option<Self> {
        let path = without_line(word);
        let has_root = ["/", "./", "../", "~/"].iter().any(|root| path.starts_with(root) && root.len() < path.len());
        let has_drive = path.as_bytes().get(1..3).is_some_and(|drive| drive == b":\\" || drive == b":/");
        let has_directory = path.contains(['/', '\\']);
        let is_path = match extension(path) {
            _ if has_root || has_drive => true,
            Some(extension) => {
                has_directory || EXTENSIONS.binary_search(&extension.to_ascii_lowercase().as_str()).is_ok()
            }
            None => false,
        };
        is_path.then(|| Self(path.to_owned()))
    }

    /// Returns the extension of the file without its dot; `None` if it has none.
    pub(crate) fn extension(&self) -> Option<&str> {
        extension(&self.0)
    }
}

/// Returns the part of a word before a line number.
fn without_line(word: &str) -> &str {
    let word = word.split_once("#L").map_or(word, |(path, _)| path);
    let mut path = word;
    while let Some((before, number)) = path.rsplit_once(':')
        && !before.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
    {
        path = before;
    }
    path
}

/// Returns the extension of the last part of a path: up to [`MAX_EXTENSION_BYTES`] letters and digits behind a dot, the
/// first one a letter.
fn extension(path: &str) -> Option<&str> {
    let (_, file) = path.rsplit_once(['/', '\\']).unwrap_or(("", path));
    let (stem, extension) = file.rsplit_once('.')?;
    let starts_with_letter = extension.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_extension = extension.len() <= MAX_EXTENSION_BYTES && extension.bytes().all(|c| c.is_ascii_alphanumeric());
    (!stem.is_empty() && starts_with_letter && is_extension).then_some(extension)
}
