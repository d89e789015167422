//! Parses a `SKILL.md` into a [`Skill`].
//!
//! The keys of the Agent Skills specification (agentskills.io) and those of several clients are accepted. No text of the
//! file is executed, compiled or expanded: keywords are phrases, anchors and aliases are rejected, and every length is
//! limited.

mod fields;
mod front_matter;
mod limits;
mod name;
mod repair;
mod suspicious;
mod use_case;
mod yaml;

pub use limits::MAX_MANIFEST_BYTES;

use crate::{
    finding::{Finding, FindingCode},
    skill::{Skill, SkillScope},
};

pub(crate) use front_matter::split_front_matter;

/// The place of a `SKILL.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManifestPlace<'a> {
    /// The path, as in [`Skill::path`].
    pub path: &'a str,
    /// The name of the folder that contains the file.
    pub folder: &'a str,
    /// Where the folder is installed.
    pub scope: SkillScope,
    /// The plugin that contains the skill, which becomes a prefix of its name: `plugin:name`. `None` for other skills.
    pub plugin: Option<&'a str>,
}

/// A parsed `SKILL.md`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The skill; `None` if one of the findings is an error.
    pub skill: Option<Skill>,
    /// The problems of the file, in the order of their lines.
    pub findings: Vec<Finding>,
}

impl Manifest {
    /// Creates the manifest of a file that cannot be used.
    pub fn invalid(finding: Finding) -> Self {
        Self { skill: None, findings: vec![finding] }
    }
}

/// Parses the content of a `SKILL.md`. A file of more than [`MAX_MANIFEST_BYTES`] is rejected without reading it.
pub fn parse_manifest(bytes: &[u8], place: &ManifestPlace<'_>) -> Manifest {
    if MAX_MANIFEST_BYTES < bytes.len() {
        return Manifest::invalid(file_too_large(place.path, bytes.len() as u64));
    }
    let text = match decode_text(bytes, place.path) {
        Ok(text) => text,
        Err(finding) => return Manifest::invalid(finding),
    };
    match parse_text(text, place) {
        Ok((mut skill, mut findings)) => {
            skill.bytes = bytes.len() as u64;
            skill.hash = *blake3::hash(bytes).as_bytes();
            findings.sort();
            Manifest { skill: Some(skill), findings }
        }
        Err(finding) => Manifest::invalid(finding),
    }
}

/// Creates the finding about a `SKILL.md` of `bytes` bytes, more than [`MAX_MANIFEST_BYTES`].
pub fn file_too_large(path: &str, bytes: u64) -> Finding {
    let message = format!(
        "the file has {bytes} bytes, the most is {MAX_MANIFEST_BYTES}: move details into other files of its folder"
    );
    Finding::of_file(path, FindingCode::FileTooLarge, message)
}

/// Decodes a file in UTF-8; `path` is its path in the finding. The text is without a byte order mark.
///
/// # Errors
/// [`FindingCode::NotUtf8`] with the line of the first invalid byte.
pub fn decode_text<'a>(bytes: &'a [u8], path: &str) -> Result<&'a str, Finding> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = valid.split(|byte| *byte == b'\n').count();
        Finding::at_line(
            path,
            u32::try_from(line).unwrap_or(u32::MAX),
            FindingCode::NotUtf8,
            "the file is not UTF-8: save it in this encoding",
        )
    })
}

/// Parses the text of a `SKILL.md`; length and hash of the skill remain to be filled in.
///
/// # Errors
/// The finding because of which the file cannot be used.
fn parse_text(text: &str, place: &ManifestPlace<'_>) -> Result<(Skill, Vec<Finding>), Finding> {
    let mut findings = Vec::new();
    let split = split_front_matter(text, place.path)?;
    let parsed = if let Some(front_matter) = split.front_matter {
        findings.extend(suspicious::check_encoding(front_matter, place.path));
        read_fields(front_matter, place.path, &mut findings)?
    } else {
        let message = "the file does not start with front matter: start it with a line `---`, then `name:`, \
                       `description:` and another line `---`";
        findings.push(Finding::at_line(place.path, 1, FindingCode::NoFrontMatter, message));
        Vec::new()
    };
    let mut skill = fields::read_skill(&parsed, place, &mut findings)?;
    if skill.when_to_use.is_empty() {
        skill.when_to_use = use_case::find_section(split.body);
    }
    Ok((skill, findings))
}

/// Parses front matter as YAML, or line by line with a finding if it is not valid.
///
/// # Errors
/// The first problem, if the YAML could expand or nest, or if no name and no description can be read.
fn read_fields<'a>(
    front_matter: &'a str,
    path: &str,
    findings: &mut Vec<Finding>,
) -> Result<Vec<yaml::Field<'a>>, Finding> {
    let problem = match yaml::parse(front_matter) {
        Ok(fields) => return Ok(fields),
        Err(problem) => problem,
    };
    let repaired = match problem.code {
        FindingCode::InvalidYaml => repair::read_lines(front_matter),
        _ => Vec::new(),
    };
    if !repaired.iter().any(|field| matches!(field.key.as_ref(), "name" | "description")) {
        return Err(problem.at(path));
    }
    findings.push(problem.repaired().at(path));
    Ok(repaired)
}
