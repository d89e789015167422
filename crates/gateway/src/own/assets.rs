//! The files of the page, compiled into the program. The page loads nothing from other hosts.

use hyper::{
    Response,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue},
};

use super::text_response;
use crate::body::ResponseBody;

/// The content type of the page.
const HTML: &str = "text/html; charset=utf-8";
/// The content type of its style sheets.
const CSS: &str = "text/css; charset=utf-8";
/// The content type of its modules.
const SCRIPT: &str = "text/javascript; charset=utf-8";
/// The content type of its icon.
const IMAGE: &str = "image/svg+xml";

/// Name, content type and content of each file of the page.
const ASSETS: &[(&str, &str, &str)] = &[
    ("api.js", SCRIPT, include_str!("../../page/api.js")),
    ("calls.js", SCRIPT, include_str!("../../page/calls.js")),
    ("chain.js", SCRIPT, include_str!("../../page/chain.js")),
    ("difference.js", SCRIPT, include_str!("../../page/difference.js")),
    ("editor.css", CSS, include_str!("../../page/editor.css")),
    ("editor.js", SCRIPT, include_str!("../../page/editor.js")),
    ("elements.js", SCRIPT, include_str!("../../page/elements.js")),
    ("figures.css", CSS, include_str!("../../page/figures.css")),
    ("first_steps.js", SCRIPT, include_str!("../../page/first_steps.js")),
    ("format.js", SCRIPT, include_str!("../../page/format.js")),
    ("highlight.js", SCRIPT, include_str!("../../page/highlight.js")),
    ("history.js", SCRIPT, include_str!("../../page/history.js")),
    ("icon.svg", IMAGE, include_str!("../../page/icon.svg")),
    ("index.html", HTML, include_str!("../../page/index.html")),
    ("keys.js", SCRIPT, include_str!("../../page/keys.js")),
    ("live.js", SCRIPT, include_str!("../../page/live.js")),
    ("models.js", SCRIPT, include_str!("../../page/models.js")),
    ("notices.js", SCRIPT, include_str!("../../page/notices.js")),
    ("page.css", CSS, include_str!("../../page/page.css")),
    ("page.js", SCRIPT, include_str!("../../page/page.js")),
    ("providers.js", SCRIPT, include_str!("../../page/providers.js")),
    ("rating.js", SCRIPT, include_str!("../../page/rating.js")),
    ("rules.js", SCRIPT, include_str!("../../page/rules.js")),
    ("rules_table.js", SCRIPT, include_str!("../../page/rules_table.js")),
    ("savings.js", SCRIPT, include_str!("../../page/savings.js")),
    ("skill_outcome.js", SCRIPT, include_str!("../../page/skill_outcome.js")),
    ("skill_why.js", SCRIPT, include_str!("../../page/skill_why.js")),
    ("skills.css", CSS, include_str!("../../page/skills.css")),
    ("skills.js", SCRIPT, include_str!("../../page/skills.js")),
    ("skills_of_workspace.js", SCRIPT, include_str!("../../page/skills_of_workspace.js")),
    ("spend.js", SCRIPT, include_str!("../../page/spend.js")),
    ("status_line.js", SCRIPT, include_str!("../../page/status_line.js")),
    ("store.js", SCRIPT, include_str!("../../page/store.js")),
    ("stream.js", SCRIPT, include_str!("../../page/stream.js")),
    ("token_dialog.js", SCRIPT, include_str!("../../page/token_dialog.js")),
    ("tree.js", SCRIPT, include_str!("../../page/tree.js")),
    ("turn_row.js", SCRIPT, include_str!("../../page/turn_row.js")),
    ("turns.css", CSS, include_str!("../../page/turns.css")),
    ("what_if.js", SCRIPT, include_str!("../../page/what_if.js")),
    ("why.css", CSS, include_str!("../../page/why.css")),
    ("why.js", SCRIPT, include_str!("../../page/why.js")),
    ("words.js", SCRIPT, include_str!("../../page/words.js")),
];

/// Returns content type and content of the page's file at a URL path. `/` is the page itself, and its other files are
/// below `/page/`. `None` if there is no such file.
pub(super) fn find_asset(path: &str) -> Option<(&'static str, &'static str)> {
    let name = if path == "/" { "index.html" } else { path.strip_prefix("/page/")? };
    ASSETS.iter().find(|(known, _, _)| *known == name).map(|(_, kind, content)| (*kind, *content))
}

/// Builds the response with a file of the page, with a content security policy that forbids other origins and framing.
/// Browsers must revalidate the file before they reuse it.
pub(super) fn response(kind: &'static str, content: &'static str) -> Response<ResponseBody> {
    let mut response = text_response(kind, content);
    let headers = response.headers_mut();
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                  base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    headers.insert(HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

#[cfg(test)]
mod tests {
    use super::{ASSETS, find_asset};

    #[test]
    fn the_page_names_nothing_that_is_not_compiled_in() {
        for (name, _, content) in ASSETS {
            for (beginning, end) in
                [("from \"./", '"'), ("href=\"/page/", '"'), ("src=\"/page/", '"'), ("import \"./", '"')]
            {
                for (start, _) in content.match_indices(beginning) {
                    let rest = &content[start + beginning.len()..];
                    let asked = &rest[..rest.find(end).unwrap()];
                    assert!(find_asset(&format!("/page/{asked}")).is_some(), "{name} asks for {asked}");
                }
            }
        }
        assert!(find_asset("/").is_some() && find_asset("/page/../keys").is_none());
    }

    #[test]
    fn every_file_of_the_page_is_compiled_in() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        for file in std::fs::read_dir(folder).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(find_asset(&format!("/page/{name}")).is_some(), "{name}");
        }
    }
}
