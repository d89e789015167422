//! The HTML document around the sections of a report: head, style sheet and escaping.

/// The style sheet of the report.
const STYLE: &str = include_str!("style.css");

/// An HTML document under construction; sections are appended.
pub(super) struct Page(String);

impl Page {
    /// Creates an HTML document with a title, which is escaped and is also its first heading. The document needs no
    /// other file, and its content security policy forbids scripts and requests.
    pub(super) fn new(title: &str) -> Self {
        let title = escape(title);
        Self(format!(
            "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width,initial-scale=1\">\
             <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">\
             <title>{title}</title><style>{STYLE}</style>\n<main><h1>{title}</h1>\n"
        ))
    }

    /// Appends a section. `title` is text and is escaped; `content` is HTML.
    pub(super) fn section(&mut self, title: &str, content: &str) {
        self.0 += &format!("<section><h2>{}</h2>{content}</section>\n", escape(title));
    }

    /// Appends a paragraph of HTML.
    pub(super) fn paragraph(&mut self, content: &str) {
        self.0 += &format!("<p>{content}</p>\n");
    }

    /// Appends HTML without escaping.
    pub(super) fn raw(&mut self, content: &str) {
        self.0 += content;
    }

    /// Returns the complete document.
    pub(super) fn finish(self) -> String {
        self.0 + "</main></html>\n"
    }
}

/// Returns the file name of a policy's path; a name that is not a path is returned unchanged.
pub(super) fn file_name(name: &str) -> String {
    let path = std::path::Path::new(name);
    path.file_name().map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned())
}

/// Escapes a text for HTML content and for quoted attribute values.
pub(super) fn escape(text: &str) -> String {
    let mut escaped_text = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped_text.push_str("&amp;"),
            '<' => escaped_text.push_str("&lt;"),
            '>' => escaped_text.push_str("&gt;"),
            '"' => escaped_text.push_str("&quot;"),
            '\'' => escaped_text.push_str("&#39;"),
            unescaped => escaped_text.push(unescaped),
        }
    }
    escaped_text
}
