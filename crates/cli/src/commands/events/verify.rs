//! `events verify` and `events repair`: check the integrity of the log and repair it.

use std::collections::{BTreeMap, BTreeSet};

use contracts::{
    ContentHash,
    events::{CatalogueLoaded, LogPurged, LogRepaired, PolicyInvalid, PolicyLoaded},
};
use engine::{RouterState, events, referenced_text};
use event_bus::ProjectionSet as _;
use event_core::{EventType as _, Position, Recorded, encode_state};
use serde_json::json;

use crate::{
    context::Context,
    failure::Failure,
    screen::{BAD, GOOD, count_noun, event_bar, out, outln, styled},
};

/// The numbers of events in a log, by subject.
#[derive(Debug, Default, serde::Serialize)]
struct Counts {
    /// All events.
    events: u64,
    /// Started sessions.
    sessions: u64,
    /// Started turns.
    turns: u64,
    /// First decisions of turns, without those of fallbacks.
    decisions: u64,
    /// Completed model calls.
    calls: u64,
    /// Tool calls.
    tools: u64,
    /// Events of kinds or versions that this program does not know. They stay in the log, and projections skip them.
    unknown: u64,
}

/// Verifies the log: its encoded events, hash chain, index and texts. Then rebuilds every projection, and prints counts
/// and digests.
///
/// # Errors
/// [`Failure::Negative`] if the log is damaged, after the damage was printed; [`Failure::Failed`] if the log cannot be
/// read.
pub(super) fn verify(context: &Context) -> Result<(), Failure> {
    let directory = context.home.log();
    if !directory.exists() {
        return context.print(&json!({ "whole": true, "head": 0 }), || outln!("nothing was recorded yet"));
    }
    let verified = event_bus::verify(&directory)?;
    let problems: Vec<_> = verified.problems.iter().map(ToString::to_string).collect();
    let notes: Vec<_> = verified.notes.iter().map(ToString::to_string).collect();
    if !verified.is_sound() {
        let json =
            json!({ "whole": false, "first_bad": verified.first_damaged(), "problems": problems, "notes": notes });
        context.print(&json, || {
            for problem in &problems {
                outln!("{} {problem}", styled(BAD, "damaged:"));
            }
            outln!("`turnwise events repair` explains what can be saved");
        })?;
        return Err(Failure::Negative);
    }
    let (counts, digests, missing) = count_and_digest(context)?;
    let missing: Vec<_> =
        missing.iter().map(|(hash, position)| format!("the text {hash} of position {position}")).collect();
    let json = json!({
        "whole": missing.is_empty(), "missing_texts": missing, "head": verified.events, "bytes": verified.bytes, "indexed": verified.indexed,
        "chain": verified.chain, "purged": verified.purged, "texts": verified.texts, "text_bytes": verified.text_bytes, "notes": notes,
        "counts": counts, "digest": digests.events, "state_digest": digests.state,
    });
    context.print(&json, || {
        let megabytes = verified.bytes.div_ceil(1_000_000);
        outln!(
            "{} {} events in {megabytes} MB: every frame, the chain, and {} texts as written",
            styled(GOOD, "whole"),
            verified.events,
            verified.texts
        );
        if let Some(indexed) = verified.indexed {
            outln!("  {indexed} events are the same in the index");
        }
        outln!(
            "  {} sessions, {} turns, {} decisions, {} calls, {} tools, {} events of unknown kind",
            counts.sessions,
            counts.turns,
            counts.decisions,
            counts.calls,
            counts.tools,
            counts.unknown
        );
        if 0 < verified.purged {
            outln!("  the text of {} was removed", count_noun(verified.purged, "event"));
        }
        if let Some(chain) = verified.chain {
            outln!("  hash chain at the end  {chain}");
        }
        outln!("  digest of the events  {}", digests.events);
        outln!("  digest of the state  {} (rebuilt from the log)", digests.state);
        for note in &notes {
            outln!("  {note}");
        }
        for text in missing.iter().take(LISTED_TEXTS) {
            outln!("{} {text}", styled(BAD, "missing:"));
        }
        if !missing.is_empty() {
            let texts = count_noun(missing.len() as u64, "text");
            outln!("{texts} of the log are not in its folder `texts`; restore the folder from a backup.");
            outln!("Events and decisions are intact; decisions under a missing policy cannot be repeated.");
        }
    })?;
    if missing.is_empty() { Ok(()) } else { Err(Failure::Negative) }
}

/// The number of missing texts that are listed.
const LISTED_TEXTS: usize = 10;

/// The hashes of texts that are not in the text store, each with the first event that refers to it.
type MissingTexts = BTreeMap<ContentHash, Position>;

/// BLAKE3 digests in hexadecimal that are equal for two logs with the same imported events.
struct Digests {
    /// Digest of the events, without those about files of the machine.
    events: String,
    /// Digest of the projections that do not depend on the machine.
    state: String,
}

/// Reads the log once: counts and hashes every event, and rebuilds every projection from it. Shows progress on the
/// terminal, unless `--json` is set.
fn count_and_digest(context: &Context) -> Result<(Counts, Digests, MissingTexts), Failure> {
    let log = context.log_reader()?;
    let bar = event_bar(log.head()?.0, "verifying");
    if context.json {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let (texts, mut seen, mut missing) = (context.texts(), BTreeSet::new(), MissingTexts::new());
    let mut counts = Counts::default();
    let mut digest = blake3::Hasher::new();
    let mut state = RouterState::default();
    for recorded in events(log.as_ref(), Position::ORIGIN) {
        let recorded = recorded?;
        count_event(&mut counts, &recorded);
        if let Some(hash) = referenced_text(&recorded)
            && seen.insert(hash)
            && texts.get(hash.0)?.is_none()
        {
            missing.insert(hash, recorded.position);
        }
        digest_event(&mut digest, &recorded);
        state.advance(&recorded).map_err(|error| Failure::from(engine::EngineError::from(error)))?;
        bar.set_position(recorded.position.0);
    }
    bar.finish_and_clear();
    // The digest leaves out what differs between machines: the active files, and the evaluator, whose state contains
    // positions that events about those files shift. Its verdicts are events, so they are in the digest.
    let RouterState { availability, costs, patterns, sessions, rule_hits, skill_questions, active: _, evaluator: _ } =
        &state;
    let bytes = encode_state(
        "router-state",
        &(
            availability.state(),
            costs.state(),
            patterns.state(),
            sessions.state(),
            rule_hits.state(),
            skill_questions.state(),
        ),
    )
    .map_err(|error| Failure::Failed(error.to_string()))?;
    let digests =
        Digests { events: digest.finalize().to_hex().to_string(), state: blake3::hash(&bytes).to_hex().to_string() };
    Ok((counts, digests, missing))
}

/// Adds an event to the counts: to the total, and to the count of its subject.
fn count_event(counts: &mut Counts, recorded: &Recorded) {
    use contracts::events::{LlmCallCompleted, RouteDecided, SessionStarted, ToolCalled, TurnStarted};
    counts.events += 1;
    let event = &recorded.event;
    match event.kind.as_ref() {
        SessionStarted::KIND => counts.sessions += 1,
        TurnStarted::KIND => counts.turns += 1,
        RouteDecided::KIND => counts.decisions += 1,
        LlmCallCompleted::KIND => counts.calls += 1,
        ToolCalled::KIND => counts.tools += 1,
        kind if contracts::catalogue::find_kind(kind, event.version).is_none() => counts.unknown += 1,
        _ => {}
    }
}

/// Kinds of events about the files of this machine, which the digest skips.
const LOCAL_KINDS: [&str; 5] =
    [PolicyLoaded::KIND, PolicyInvalid::KIND, CatalogueLoaded::KIND, LogPurged::KIND, LogRepaired::KIND];

/// Adds an event to the digest of a log, without the time when it was recorded, so that the digest is equal on every
/// machine that imports the same events.
///
/// Events about the machine's files are skipped, since every decision contains the hashes of policy and models. A
/// payload is represented by its hash, so a purge of texts does not change the digest.
fn digest_event(digest: &mut blake3::Hasher, recorded: &Recorded) {
    let event = &recorded.event;
    if LOCAL_KINDS.contains(&event.kind.as_ref()) {
        return;
    }
    digest.update(&event.at.0.to_le_bytes());
    digest.update(&recorded.position.0.to_le_bytes());
    digest.update(&event.id.0);
    digest.update(&event.correlation.0);
    digest.update(&event.causation.map(|cause| cause.0).unwrap_or_default());
    digest.update(event.kind.as_bytes());
    digest.update(&event.version.to_le_bytes());
    digest.update(&recorded.purged.unwrap_or_else(|| *blake3::hash(&event.payload).as_bytes()));
}

/// Prints the damage of the log and the plan of its repair. With `yes`, also executes the plan; the old files stay
/// beside the new ones.
///
/// # Errors
/// [`Failure::Failed`] if another process has the log open, or a file cannot be read or written.
pub(super) fn repair(context: &Context, yes: bool) -> Result<(), Failure> {
    let plan = event_bus::plan_repair(context.home.log());
    let plan = plan.map_err(|error| {
        context.in_use_failure(error, "a repair replaces the log's files, which the gateway has open")
    })?;
    let needed = plan.is_needed();
    let explained = plan.to_string();
    if !needed || !yes {
        let json = json!({ "needed": needed, "faults": plan.faults(), "plan": explained, "done": false });
        return context.print(&json, || {
            out!("{explained}");
            if needed {
                outln!("Nothing was changed. `turnwise events repair --yes` does this.");
            }
        });
    }
    let faults = plan.faults().to_vec();
    let done = plan.execute()?;
    let lost: Vec<_> = done.lost.iter().map(ToString::to_string).collect();
    let json =
        json!({ "needed": true, "faults": faults, "done": true, "head": done.head, "lost": lost, "kept": done.kept });
    context.print(&json, || {
        out!("{explained}");
        outln!("{} the log ends at position {}", styled(GOOD, "repaired:"), done.head);
        for path in &done.kept {
            outln!("  kept {}", path.display());
        }
    })
}
