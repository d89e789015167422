//! Generates docs/events.md, docs/routing.schema.json and the table of attacks in docs/reliability.md from the code.

mod attacks;
mod event_flow;
mod events;

use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// Writes the generated pages; with `check`, fails instead if one of them is out of date.
pub(crate) fn run(check: bool) -> Outcome {
    let docs = workspace::root().join("docs");
    let pages = [
        ("events.md", events::events_page()?),
        ("reliability.md", attacks::attacks_page()?),
        ("routing.schema.json", router_core::schema_text()),
    ];
    let mut stale_pages = Vec::new();
    for (name, text) in pages {
        let path = docs.join(name);
        let is_up_to_date = path.exists() && workspace::read_file(&path)? == text;
        match (is_up_to_date, check) {
            (true, _) => println!("docs: {} is up to date", workspace::display_path(&path)),
            (false, true) => stale_pages.push(format!("{}: run `cargo xtask docs`", workspace::display_path(&path))),
            (false, false) => {
                workspace::write_file(&path, &text)?;
                println!("docs: {} written", workspace::display_path(&path));
            }
        }
    }
    Failure::unless_empty("pages are out of date", &stale_pages)
}
