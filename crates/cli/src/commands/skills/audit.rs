//! `skills audit`: anti-patterns of routing, each with the events that prove it.

use std::collections::BTreeSet;

use event_core::Timestamp;
use serde_json::json;
use skills::{
    MAX_COLLISIONS, collisions_up_to,
    detectors::{Detection, TableAge, detect_in_log, detect_table_collisions},
};

use super::{Loaded, recorded::RecordedDecisions};
use crate::{
    context::Context,
    failure::Failure,
    screen::{FAINT, GOOD, NOTICE, count_noun, escape_line, outln, styled, wrap},
};

/// The anti-patterns that no event of the log shows so far: they are about agents and what these hand over.
const NOT_MEASURED: [&str; 7] = ["AP-03", "AP-04", "AP-05", "AP-07", "APD-05", "APD-07", "APD-10"];

/// Prints the anti-patterns in the recorded decisions and in the trigger table.
pub(super) fn run(context: &Context, loaded: &Loaded, decisions: &RecordedDecisions) -> Result<(), Failure> {
    let records = decisions.measured_records(context)?;
    let thresholds = &decisions.settings.detectors;
    let mut found = detect_in_log(&records, table_age(loaded)?, thresholds);
    found.extend(table_detection(loaded, decisions));
    found.sort_by_key(|detection| detection.pattern);
    let listed: Vec<_> = found
        .iter()
        .map(|detection| {
            let Detection { pattern, signal, events } = detection;
            json!({
                "pattern": pattern.number(), "title": pattern.title(), "signal": signal, "events": events,
                "text": signal.to_string(),
            })
        })
        .collect();
    let json = json!({ "decisions": records.len(), "detections": listed, "not_measured": NOT_MEASURED });
    context.print(&json, || {
        for detection in &found {
            for (number, line) in wrap(&detection.to_string(), 76).iter().enumerate() {
                let line = escape_line(line);
                outln!("{}{line}", if number == 0 { styled(NOTICE, "! ") } else { "    ".to_owned() });
            }
        }
        let decided = count_noun(records.len() as u64, "decision");
        match found.len() as u64 {
            0 if records.is_empty() => decisions.print_nothing(),
            0 => outln!("{} no anti-pattern in {decided}", styled(GOOD, "ok")),
            number => outln!("{} in {decided}", count_noun(number, "anti-pattern")),
        }
        let skipped = format!("Not measured, as the log has no events of agents: {}", NOT_MEASURED.join(", "));
        for line in wrap(&skipped, 80) {
            outln!("{}", styled(FAINT, &line));
        }
    })
}

/// Returns the age of the trigger table; `None` without one.
///
/// # Errors
/// [`Failure::Failed`] if the time of the file's last change cannot be read.
fn table_age(loaded: &Loaded) -> Result<Option<TableAge>, Failure> {
    let Some(path) = &loaded.table_path else { return Ok(None) };
    let changed = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    let changed = changed.map_err(|error| Failure::file("read", path, &error))?;
    let micros = |time: std::time::SystemTime| {
        let since = time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    };
    Ok(Some(TableAge { changed: micros(changed), now: micros(std::time::SystemTime::now()) }))
}

/// Detects that too many keywords of the trigger table and the skills collide.
fn table_detection(loaded: &Loaded, decisions: &RecordedDecisions) -> Option<Detection> {
    let found = collisions_up_to(loaded.index(), &loaded.table, MAX_COLLISIONS);
    let mut colliding: BTreeSet<(&str, &str)> = BTreeSet::new();
    for collision in found.iter().filter(|collision| !collision.is_separated) {
        colliding.insert((&collision.skill, &collision.keyword));
        colliding.insert((&collision.other_skill, &collision.other_keyword));
    }
    let of_skills: usize = loaded.index().skills().iter().map(|skill| skill.keywords.len()).sum();
    let of_table: usize = loaded.table.rows.iter().map(|row| row.keywords.len()).sum();
    detect_table_collisions(colliding.len() as u64, (of_skills + of_table) as u64, &decisions.settings.detectors)
}
