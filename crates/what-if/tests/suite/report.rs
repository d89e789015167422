//! The HTML report is self-contained, and everything in it is escaped.

use crate::past::Past;

#[test]
fn the_page_loads_nothing_and_runs_nothing() {
    let past = Past::under("global_default: sonnet");
    let (report, _) = past.try_on(&[("a.yaml", "global_default: opus"), ("b.yaml", "global_default: haiku")]);
    let page = what_if::html(&report);
    for forbidden in ["<script", "src=", "href=", "@import", "url(", "http:", "https:"] {
        assert!(!page.contains(forbidden), "`{forbidden}` is in the page");
    }
    for section in [
        "Cost over time",
        "Models, before and after",
        "Who takes over from whom",
        "The turns that matter most",
        "How far to trust this",
    ] {
        assert!(page.contains(section), "`{section}` is missing");
    }
    assert!(page.contains("<svg") && page.contains("prefers-color-scheme:dark") && page.contains("@media print"));
    assert_eq!(
        report.largest.len(),
        report
            .largest
            .iter()
            .filter(|row| row.old.chain.is_none() && row.new.iter().all(|new| new.chain.is_some()))
            .count()
    );
}

#[test]
fn a_name_that_looks_like_markup_stays_a_name() {
    let past = Past::under("global_default: sonnet");
    let name = "<img src=x onerror=alert(1)>\"'&";
    let (report, _) = past.try_on(&[(
        name,
        "rules:\n  - {name: \"<b>bold</b>\", when: {message_contains_any: [\"e\"]}, use: opus}\nglobal_default: haiku",
    )]);
    let page = what_if::html(&report);
    assert!(!page.contains("<img") && !page.contains("<b>bold"), "markup went through");
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"));
}
