//! The page itself: its frame, and how it looks on a screen, a phone and paper.

const STYLE: &str = include_str!("style.css");

/// A page that grows from top to bottom.
pub(super) struct Page(String);

impl Page {
    pub(super) fn new(title: &str) -> Self {
        let title = escaped(title);
        Self(format!(
            "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width,initial-scale=1\">\
             <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">\
             <title>{title}</title><style>{STYLE}</style>\n<main><h1>{title}</h1>\n"
        ))
    }

    /// A part under a heading. The content is HTML.
    pub(super) fn section(&mut self, title: &str, content: &str) {
        self.0 += &format!("<section><h2>{}</h2>{content}</section>\n", escaped(title));
    }

    pub(super) fn paragraph(&mut self, content: &str) {
        self.0 += &format!("<p>{content}</p>\n");
    }

    pub(super) fn raw(&mut self, content: &str) {
        self.0 += content;
    }

    pub(super) fn finish(self) -> String {
        self.0 + "</main></html>\n"
    }
}

/// A text that means only itself in HTML, also inside quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
