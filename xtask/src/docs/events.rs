//! Generates docs/events.md: every kind of event in every layout, with an example and its bytes.

use std::fmt::Write as _;

use contracts::{
    catalogue::{KINDS, KindSpec},
    events::Sensitivity,
};
use event_core::Hex;

use super::event_flow::{self, EventFlow};
use crate::failure::{Failure, Outcome};

/// The text of docs/events.md before the table of all kinds.
const INTRODUCTION: &str = "\
# Events

*Made by `cargo xtask docs` from `contracts::catalogue`; `cargo xtask ci` fails when it is out of date.*

Everything that happens is one of these events, appended to one log. An event stands in an envelope: its `id`, the time
`at` which it happened, the `correlation` it belongs to (the turn, or the session outside any turn), the `causation`
(the event that led to it), its `kind` and the `version` of its layout. The log adds a `position` and `recorded_at`.

A layout is frozen once it is released: a changed event gets a new version, and old ones stay readable. The bytes below
pin that down, for `cargo xtask ci` compares them. They are bincode 1.3 with variable-length integers, little-endian.
A program that meets a kind or version it does not know keeps the event and skips it. One kind is outside the catalogue:
`log.lost` stands, without content, where a repair found an event in neither copy of the log, so that all others keep their
places.

| sensitivity | what that means |
| --- | --- |
| private | what the user or a model wrote: stays on the machine unless told otherwise, removed by a purge |
| internal | names of the user's own making: paths, rules, sessions |
| public | numbers, and names of models |
";

/// Formats docs/events.md: the introduction, a table of all kinds of events, and a section for each kind.
pub(super) fn events_page() -> Outcome<String> {
    let mut page = format!("{INTRODUCTION}\n## All kinds\n\n");
    write_row(&mut page, ["kind", "version", "what happened", "sensitivity", "written by", "folded by"]);
    write_row(&mut page, ["---"; 6]);
    for spec in KINDS {
        let EventFlow { producer, folded_by } = event_flow::flow_of(&(spec.sample)());
        let folded_by = if folded_by.is_empty() { "-".to_owned() } else { folded_by.join(", ") };
        let (kind, version) = (format!("[`{}`](#{})", spec.kind, anchor(spec)), spec.version.to_string());
        write_row(&mut page, [&kind, &version, spec.about, sensitivity(spec.sensitivity), producer, &folded_by]);
    }
    for spec in KINDS {
        page.push_str(&section(spec)?);
    }
    Ok(page)
}

/// Appends a row of the table of kinds.
fn write_row(page: &mut String, cells: [&str; 6]) {
    // Writing to a `String` always succeeds.
    let _ = writeln!(page, "| {} |", cells.join(" | "));
}

/// Formats the section of docs/events.md about one layout of an event: its description, and an example as JSON and as
/// bytes.
fn section(spec: &KindSpec) -> Outcome<String> {
    let fail = |error: &dyn std::fmt::Display| Failure::new(format!("the example of `{}`: {error}", spec.kind));
    let payload = (spec.payload)().map_err(|error| fail(&error))?;
    let json = (spec.to_json)(&payload).map_err(|error| fail(&error))?;
    let json = serde_json::to_string_pretty(&json).map_err(|error| fail(&error))?;
    Ok(format!(
        "\n## {}\n\n{}\n\n```json\n{json}\n```\n\nIts {} bytes:\n\n```text\n{}```\n",
        title(spec),
        spec.about,
        payload.len(),
        hex(&payload),
    ))
}

/// Returns the title of a layout's section, such as `turn.started version 1`.
fn title(spec: &KindSpec) -> String {
    format!("{} version {}", spec.kind, spec.version)
}

/// Returns the anchor that Markdown renderers give to a section's title.
fn anchor(spec: &KindSpec) -> String {
    title(spec).replace(' ', "-").replace('.', "")
}

/// Returns the name of a sensitivity on the page.
const fn sensitivity(sensitivity: Sensitivity) -> &'static str {
    match sensitivity {
        Sensitivity::Private => "private",
        Sensitivity::Internal => "internal",
        Sensitivity::Public => "public",
    }
}

/// Formats bytes as hexadecimal digits, 40 bytes to a line.
fn hex(bytes: &[u8]) -> String {
    bytes.chunks(40).map(|line| Hex(line).to_string() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_section_for_every_kind_and_a_link_to_it() {
        let page = events_page().unwrap();
        for spec in KINDS {
            assert!(page.contains(&format!("\n## {}\n", title(spec))), "{}", spec.kind);
            assert!(page.contains(&format!("(#{})", anchor(spec))), "{}", spec.kind);
        }
    }

    #[test]
    fn bytes_are_shown_forty_to_the_line() {
        assert_eq!(hex(&[0xab; 41]), format!("{}\nab\n", "ab".repeat(40)));
    }
}
