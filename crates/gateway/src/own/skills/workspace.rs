//! The skills of a workspace, their findings and the collisions of their keywords as JSON.

use std::collections::BTreeMap;

use contracts::ContentHash;
use event_bus::{LogError, TextStore};
use serde_json::{Value, json};
use skills::{
    Collision, Finding, MAX_COLLISIONS, Severity, Skill, SkillHistory, SkillIndex, SkillScope, SkillSources,
    collisions_up_to,
};

use crate::gateway::Gateway;

/// The number of skills that are listed.
const MAX_SKILLS: usize = 500;
/// The number of findings that are listed.
const MAX_FINDINGS: usize = 200;
/// The number of collisions that are listed.
const MAX_LISTED_COLLISIONS: usize = 100;
/// The number of characters of a description that are listed.
const MAX_DESCRIPTION: usize = 300;

/// A workspace of the latest decisions.
pub(super) struct FoundWorkspace {
    /// Its absolute path; `None` for decisions about requests whose workspace is unknown.
    path: Option<String>,
    /// The hash of the skills that its latest decision read; `None` if none were known.
    recorded: Option<ContentHash>,
}

/// Returns the id of a workspace in the API: the start of the hash of its path.
pub(super) fn workspace_id(path: Option<&str>) -> String {
    path.map_or_else(|| "unknown".to_owned(), |path| ContentHash(*blake3::hash(path.as_bytes()).as_bytes()).to_string())
}

/// Returns the workspace with an id; `None` if no decision of the history is of it.
pub(super) fn find_workspace(history: &SkillHistory, id: &str) -> Option<FoundWorkspace> {
    let latest = history.requests().rev().find(|request| workspace_id(request.workspace.as_deref()) == id)?;
    Some(FoundWorkspace { path: latest.workspace.clone(), recorded: latest.sources })
}

/// Returns the report about the skills of a workspace: the skills in its folders and the skills that only a client
/// listed. Reads the files; the report is computed once for each state of them.
///
/// # Errors
/// [`LogError`] if the recorded skills cannot be read.
pub(super) fn workspace_report(gateway: &Gateway, workspace: &FoundWorkspace) -> Result<Value, LogError> {
    let listed = recorded_client_skills(gateway.sources().texts.as_ref(), workspace.recorded)?;
    let files = workspace.path.as_deref().map(|path| gateway.skill_library().report(path)).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&files.hash().0).update(&workspace.recorded.map(|hash| hash.0).unwrap_or_default());
    let hash = ContentHash(*hasher.finalize().as_bytes());
    let report = gateway.skill_reports().workspace(workspace.path.clone(), hash, || {
        let findings = files.lint();
        let found = collisions_up_to(files.index(), files.triggers(), MAX_COLLISIONS + 1);
        let table = (!files.triggers().path.is_empty()).then(|| {
            let rows = &files.triggers().rows;
            let keywords: usize = rows.iter().map(|row| row.keywords.len()).sum();
            json!({ "path": files.triggers().path, "rows": rows.len(), "keywords": keywords })
        });
        json!({
            "path": workspace.path,
            "folders": files.folders().collect::<Vec<_>>(),
            "skills": files.index().skills().len(),
            "shadowed": files.shadowed().len(),
            "listed": skills_json(files.index(), &findings),
            "of_clients": skills_json(&listed, &[]),
            "counts": counts_json(&findings),
            "findings": findings_json(&findings),
            "table": table,
            "collisions": collisions_json(&found),
        })
    });
    Ok(Value::clone(&report))
}

/// Returns the skills that only a client listed, as the latest decision read them; none if their text is gone.
fn recorded_client_skills(texts: &dyn TextStore, recorded: Option<ContentHash>) -> Result<SkillIndex, LogError> {
    let text = recorded.map_or(Ok(None), |hash| texts.get(hash.0))?;
    let sources = text.and_then(|text| serde_json::from_str::<SkillSources>(&text).ok()).unwrap_or_default();
    let skills = sources.index.skills().iter().filter(|skill| skill.scope == SkillScope::Client);
    Ok(SkillIndex::new(skills.cloned().collect()))
}

/// Returns skills as JSON, each with the number of errors and warnings of its file.
fn skills_json(index: &SkillIndex, findings: &[Finding]) -> Vec<Value> {
    let mut problems: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.severity() != Severity::Info) {
        *problems.entry(finding.path.as_str()).or_default() += 1;
    }
    let listed = index.skills().iter().take(MAX_SKILLS);
    listed.map(|skill| skill_json(skill, problems.get(skill.path.as_str()).copied().unwrap_or_default())).collect()
}

/// Returns a skill as JSON.
fn skill_json(skill: &Skill, problems: u64) -> Value {
    let description: String = skill.description.chars().take(MAX_DESCRIPTION).collect();
    json!({
        "name": skill.name, "description": description, "scope": skill.scope, "path": skill.path, "bytes": skill.bytes,
        "keywords": skill.keywords.len(), "explicit_only": skill.explicit_only, "problems": problems,
    })
}

/// Returns the numbers of findings by severity as JSON.
fn counts_json(findings: &[Finding]) -> Value {
    let count = |severity| findings.iter().filter(|finding| finding.severity() == severity).count();
    json!({
        "errors": count(Severity::Error), "warnings": count(Severity::Warning),
        "recommendations": count(Severity::Info),
    })
}

/// Returns errors and warnings as JSON, errors first.
fn findings_json(findings: &[Finding]) -> Vec<Value> {
    let of = |severity| findings.iter().filter(move |finding| finding.severity() == severity);
    let listed = of(Severity::Error).chain(of(Severity::Warning)).take(MAX_FINDINGS);
    let listed = listed.map(|finding| {
        json!({
            "severity": finding.severity(), "path": finding.path, "line": finding.line, "message": finding.message,
            "code": finding.code.name(),
        })
    });
    listed.collect()
}

/// Returns collisions as JSON: their number, at most [`MAX_COLLISIONS`], whether there are more, and the first ones, those
/// without a negative keyword first.
fn collisions_json(found: &[Collision]) -> Value {
    let of = |is_separated| found.iter().filter(move |collision| collision.is_separated == is_separated);
    json!({
        "number": found.len().min(MAX_COLLISIONS),
        "more": MAX_COLLISIONS < found.len(),
        "listed": of(false).chain(of(true)).take(MAX_LISTED_COLLISIONS).collect::<Vec<_>>(),
    })
}
