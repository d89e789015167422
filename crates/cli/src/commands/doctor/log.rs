//! Checks the log: its size, its integrity and its last event; and the outages that it records.

use std::{fs, path::Path};

use contracts::OutageScope;
use event_bus::{Clock as _, EventLog, SystemClock};
use event_core::{Position, Timestamp};

use super::finding::{Finding, Section, short_path};
use crate::{
    commands::providers::because,
    context::{Context, local_time},
    failure::Failure,
    screen::count_noun,
};

/// The size in bytes up to which a log is verified. Verifying this size takes about two seconds.
const MAX_VERIFIED_BYTES: u64 = 256 * 1024 * 1024;

/// The longest time in microseconds by which the last event may be later than the clock of this machine.
const MAX_CLOCK_LAG: u64 = 60_000_000;

/// Checks the event log and the outages that it records. An error of reading the log is a finding.
pub(super) fn check_log(context: &Context) -> Section {
    let findings = findings(context).unwrap_or_else(|failure| {
        vec![Finding::problem(failure.message().unwrap_or_default(), "turnwise events verify")]
    });
    Section::new("log", findings)
}

/// Returns the findings about the log: its integrity, the time of its last event, and each present outage.
fn findings(context: &Context) -> Result<Vec<Finding>, Failure> {
    let folder = context.home.log();
    if !folder.exists() {
        return Ok(vec![Finding::ok("nothing was recorded yet")]);
    }
    let log = context.log_reader()?;
    let now = SystemClock.now();
    let mut findings = vec![integrity(context, &folder, log.head()?)?];
    if let Some(at) = last_event(log.as_ref())? {
        findings.push(if now.0.saturating_add(MAX_CLOCK_LAG) < at.0 {
            let text = format!("the last event is of {}, after the time of this machine", local_time(at));
            Finding::problem(text, "correct the clock: budgets and outages depend on it")
        } else {
            Finding::ok(format!("the last event is of {}", local_time(at)))
        });
    }
    for outage in context.fold_state()?.availability.status(now).iter().filter(|status| status.clears_at.is_some()) {
        let (name, provider) = match &outage.scope {
            OutageScope::ProviderWide(provider) => (provider.as_str(), provider.as_str()),
            OutageScope::ModelSpecific(model) => (model.as_str(), model.provider()),
        };
        let cause = because(outage).unwrap_or_else(|| "a probe is running".to_owned());
        let until = outage.clears_at.map(local_time).unwrap_or_default();
        let text = format!("{name} is unavailable until {until}: {cause}");
        findings.push(Finding::problem(text, format!("turnwise providers retry {provider}")));
    }
    Ok(findings)
}

/// Verifies the log in a folder, unless it is larger than [`MAX_VERIFIED_BYTES`], and returns the result with its size.
fn integrity(context: &Context, folder: &Path, head: Position) -> Result<Finding, Failure> {
    let (bytes, shown) = (folder_size(folder), short_path(context, folder));
    let size = format!("{shown}: {} in {} MB", count_noun(head.0, "event"), bytes.div_ceil(1_000_000));
    if MAX_VERIFIED_BYTES < bytes {
        return Ok(Finding::note(format!("{size}, not verified"), "turnwise events verify"));
    }
    let verified = event_bus::verify(folder)?;
    Ok(match verified.problems.first() {
        None => Finding::ok(format!("{size}, whole")),
        Some(problem) => {
            let count = count_noun(verified.problems.len() as u64, "damage");
            Finding::problem(
                format!("{size}, {count}: {problem}"),
                "turnwise events verify, then turnwise events repair",
            )
        }
    })
}

/// Returns the time of the last event in a log; `None` if the log is empty.
fn last_event(log: &dyn EventLog) -> Result<Option<Timestamp>, Failure> {
    Ok(log.event_at(log.head()?)?.map(|event| event.event.at))
}

/// Returns the size in bytes of all files in a folder and its subfolders. Entries that cannot be read count as 0.
fn folder_size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => folder_size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}
