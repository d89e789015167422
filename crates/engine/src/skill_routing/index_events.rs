//! Builds the events about the skills of a workspace: a new index, and errors in its files.

use std::sync::Arc;

use contracts::{
    Sealed,
    events::{SkillFileFinding, SkillIndexInvalid, SkillIndexed},
};
use event_core::{CodecError, EventId, EventType as _, Timestamp};
use skills::{Finding, Severity};

use super::prepared::PreparedSkills;

/// The maximum length of a path or a message of a finding in an event, in bytes.
const MAX_TEXT_BYTES: usize = 240;
/// The maximum total length of the findings in an event, in bytes. The workspace needs up to 1,000 bytes.
const MAX_FINDINGS_BYTES: usize = 2_400;

/// Builds `skill.indexed` for prepared skills, and `skill.index_invalid` if files have errors. The ids follow from workspace
/// and content, so that the log has each index and each set of errors of a workspace once.
///
/// # Errors
/// [`CodecError`] if an event cannot be encoded.
pub(super) fn index_events(prepared: &PreparedSkills, at: Timestamp) -> Result<Vec<Sealed>, CodecError> {
    let workspace = prepared.workspace.as_deref().unwrap_or_default();
    let correlation = EventId::derive(&[b"skills", workspace.as_bytes()]);
    let id = |kind: &str, content: &[u8]| EventId::derive(&[kind.as_bytes(), workspace.as_bytes(), content]);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let sources = prepared.router.sources();
    let indexed = SkillIndexed {
        workspace: prepared.workspace.clone(),
        sources: prepared.hash,
        bytes: prepared.text.len() as u64,
        skills: count(sources.index.skills().len()),
        offered_only: prepared.offered_only,
        trigger_rows: count(sources.triggers.rows.len()),
        agents_files: count(sources.agents.applicable(None).count()),
        findings: count(prepared.findings.len()),
    };
    let mut events = vec![Sealed::new(id(SkillIndexed::KIND, &prepared.hash.0), at, correlation, Arc::new(indexed))?];
    let errors: Vec<&Finding> =
        prepared.findings.iter().filter(|finding| finding.severity() == Severity::Error).collect();
    if !errors.is_empty() {
        let invalid = invalid_event(prepared, &errors);
        let mut hasher = blake3::Hasher::new();
        for finding in &errors {
            hasher.update(finding.to_string().as_bytes()).update(b"\n");
        }
        let id = id(SkillIndexInvalid::KIND, hasher.finalize().as_bytes());
        events.push(Sealed::new(id, at, correlation, Arc::new(invalid))?);
    }
    Ok(events)
}

/// Builds the event with as many errors as fit.
fn invalid_event(prepared: &PreparedSkills, errors: &[&Finding]) -> SkillIndexInvalid {
    let mut bytes = 0;
    let shortened = errors.iter().map(|finding| SkillFileFinding {
        path: cut(&finding.path),
        line: finding.line,
        code: finding.code.name().to_owned(),
        message: cut(&finding.message),
    });
    let findings: Vec<_> = shortened
        .take_while(|finding| {
            bytes += finding.path.len() + finding.code.len() + finding.message.len() + 16;
            bytes <= MAX_FINDINGS_BYTES
        })
        .collect();
    SkillIndexInvalid {
        workspace: prepared.workspace.clone(),
        findings_omitted: u32::try_from(errors.len() - findings.len()).unwrap_or(u32::MAX),
        findings,
        using_last_index: prepared.using_last_index,
    }
}

/// Returns the start of a text, cut at a character boundary.
fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_TEXT_BYTES)].to_owned()
}
