//! `triggers`: shows the trigger table, its collisions, and the effect of a new keyword.

mod recorded;

use serde_json::json;
use skills::{
    Collision, CollisionKind, KeywordPreview, LabelledRequest, MAX_COLLISIONS, RoutingCase, collisions_up_to,
    parse_cases, preview_keyword,
};

use super::skills::{
    Counts, FindingView, Loaded,
    lint::{print_findings, print_omitted},
};
use crate::{
    arguments::TriggersCommand,
    context::{Context, read_text},
    failure::Failure,
    screen::{BAD, FAINT, GOOD, HEADING, Table, count_noun, escape_line, outln, styled, truncate},
};

/// The maximum number of changed requests that are printed.
const MAX_CHANGED: usize = 20;

/// The maximum number of rows and of collisions that are printed.
const MAX_PRINTED: usize = 500;

/// Executes a subcommand of `triggers`.
pub(super) fn run(context: &Context, command: &TriggersCommand) -> Result<(), Failure> {
    match command {
        TriggersCommand::Show { places } => show(context, &Loaded::read(context, places)?),
        TriggersCommand::Collisions { places } => list_collisions(context, &Loaded::read(context, places)?),
        TriggersCommand::Add { skill, keyword, dry_run: _, cases, places } => {
            let loaded = Loaded::read(context, places)?;
            let mut requests = recorded::recorded_messages(context)?;
            if let Some(path) = cases {
                let text = read_text(path)?;
                let cases = parse_cases(&text, &path.display().to_string(), None)
                    .map_err(|finding| Failure::Invalid(finding.to_string()))?;
                let labelled = |case: RoutingCase| LabelledRequest { text: case.prompt, expected: Some(case.expected) };
                requests.extend(cases.into_iter().map(labelled));
            }
            preview(context, &loaded, skill, keyword, &requests)
        }
    }
}

/// Prints the rows of the table by priority, and the problems of its file.
///
/// # Errors
/// [`Failure::Invalid`] without a table, [`Failure::Negative`] if its file has an error.
fn show(context: &Context, loaded: &Loaded) -> Result<(), Failure> {
    let table = &loaded.table;
    if table.path.is_empty() {
        return Err(Failure::Invalid("no trigger table: name its file with `--table`".to_owned()));
    }
    let mut rows: Vec<_> = table.rows.iter().collect();
    rows.sort_by_key(|row| (row.priority, row.line));
    let findings: Vec<_> = loaded.findings().into_iter().filter(|finding| finding.path == table.path).collect();
    let counts = Counts::of(&findings);
    let json = json!({ "path": table.path, "rows": rows, "findings": FindingView::of(&findings) });
    context.print(&json, || {
        let mut printed = Table::new(&[">PRIORITY", "SKILL", ">WORDS", ">NEGATIVE", "COMPOUND", ">LINE"]);
        for row in rows.iter().take(MAX_PRINTED) {
            let compound = row.compound.as_ref().map(|compound| compound.text.as_str()).unwrap_or_default();
            printed.add_row([
                row.priority.to_string(),
                truncate(&row.skill, 30).to_owned(),
                row.keywords.len().to_string(),
                row.negatives.len().to_string(),
                truncate(compound, 14).to_owned(),
                row.line.to_string(),
            ]);
        }
        printed.print();
        print_omitted(rows.len(), MAX_PRINTED);
        let keywords: usize = rows.iter().map(|row| row.keywords.len()).sum();
        let summary = format!("{}, {}", count_noun(rows.len() as u64, "row"), count_noun(keywords as u64, "keyword"));
        outln!("{}", styled(FAINT, &format!("{summary}; {}", counts.text())));
        if !findings.is_empty() {
            outln!();
            print_findings(&findings);
        }
    })?;
    if counts.has_errors() { Err(Failure::Negative) } else { Ok(()) }
}

/// Prints the keywords that several skills have.
fn list_collisions(context: &Context, loaded: &Loaded) -> Result<(), Failure> {
    let found = collisions_up_to(loaded.index(), &loaded.table, MAX_COLLISIONS);
    context.print(&found, || {
        for collision in found.iter().take(MAX_PRINTED) {
            print_collision(collision);
        }
        print_omitted(found.len(), MAX_PRINTED);
        let more = if found.len() < MAX_COLLISIONS { "" } else { "at least " };
        outln!("{}", styled(FAINT, &format!("{more}{}", count_noun(found.len() as u64, "collision"))));
    })
}

/// Prints a collision in two lines.
fn print_collision(collision: &Collision) {
    let Collision { kind, keyword, skill, other_keyword, other_skill, is_separated } = collision;
    let relation = match kind {
        CollisionKind::Exact => "is also a keyword of",
        CollisionKind::Contained => "is part of a keyword of",
    };
    outln!("{}", styled(HEADING, &escape_line(&format!("`{keyword}` of {skill} {relation} {other_skill}"))));
    let detail = if *is_separated { ", separated by a negative keyword" } else { "" };
    let other = if keyword == other_keyword { String::new() } else { format!("`{other_keyword}`") };
    let detail = format!("{other}{detail}");
    if !detail.is_empty() {
        outln!("  {}", styled(FAINT, &escape_line(detail.trim_start_matches(", "))));
    }
}

/// Prints how decisions about `requests` would change with a new keyword.
///
/// # Errors
/// [`Failure::Negative`] if a right decision becomes wrong.
fn preview(
    context: &Context,
    loaded: &Loaded,
    skill: &str,
    keyword: &str,
    requests: &[LabelledRequest],
) -> Result<(), Failure> {
    let skill = skill.trim_start_matches('/');
    let router = loaded.router(context, &[])?;
    if router.resolve(skill).is_none() {
        return Err(Failure::Invalid(format!("no skill is called `{skill}`: list them with `turnwise skills list`")));
    }
    let preview =
        preview_keyword(&router, skill, keyword, requests).map_err(|error| Failure::Invalid(error.to_string()))?;
    let KeywordPreview { changed, new_collisions } = &preview;
    let count = |improves| changed.iter().filter(|change| change.improves == Some(improves)).count() as u64;
    let (better, worse) = (count(true), count(false));
    let json = json!({
        "skill": skill, "keyword": keyword, "requests": requests.len(), "changed": changed, "better": better,
        "worse": worse, "new_collisions": new_collisions,
    });
    context.print(&json, || {
        for change in changed.iter().take(MAX_CHANGED) {
            let (style, mark) = match change.improves {
                Some(true) => (GOOD, "better"),
                Some(false) => (BAD, "worse "),
                None => (FAINT, "other "),
            };
            let text = requests.get(change.request).map(|request| request.text.as_str()).unwrap_or_default();
            outln!("{}  {}", styled(style, mark), escape_line(truncate(text, 70)));
            outln!("        {} → {}", escape_line(&change.before), escape_line(&change.after));
        }
        print_omitted(changed.len(), MAX_CHANGED);
        for collision in new_collisions.iter().take(MAX_PRINTED) {
            print_collision(collision);
        }
        print_omitted(new_collisions.len(), MAX_PRINTED);
        let tried = count_noun(requests.len() as u64, "request");
        outln!("{} of {tried} change: {better} better, {worse} worse", changed.len());
        outln!("{}", count_noun(new_collisions.len() as u64, "new collision"));
        if requests.is_empty() {
            outln!("{}", styled(FAINT, "The log has no messages; try the keyword on labelled ones with --cases FILE."));
        }
    })?;
    if worse == 0 { Ok(()) } else { Err(Failure::Negative) }
}
