//! Converts the fields of front matter to a [`Skill`].

use contracts::Tier;

use super::{
    ManifestPlace,
    limits::{MAX_DESCRIPTION_CHARACTERS, MAX_VALUE_BYTES, MAX_VALUES, MAX_WILDCARDS},
    name::{choose_name, is_usable},
    suspicious,
    yaml::{Field, Value},
};
use crate::{
    finding::{Finding, FindingCode},
    skill::Skill,
};

/// Converts fields to a skill and adds the problems of its values to `findings`. Unknown keys are ignored.
///
/// # Errors
/// [`FindingCode::UnusableName`] if neither the front matter nor the folder has a name for the skill.
pub(super) fn read_skill(
    fields: &[Field<'_>],
    place: &ManifestPlace<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Skill, Finding> {
    let mut reader = FieldReader {
        place,
        findings,
        skill: Skill { scope: place.scope, path: place.path.to_owned(), ..Skill::default() },
        description_line: None,
    };
    reader.read(fields, Level::Root);
    let FieldReader { mut skill, description_line, .. } = reader;
    skill.name = resolve_name(fields, place, findings)?;
    check_description(&skill, description_line, place.path, findings);
    Ok(skill)
}

/// Whether fields are those of the front matter or those below its key `metadata`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Metadata,
}

/// Fills in a skill from fields.
struct FieldReader<'p, 'f> {
    place: &'p ManifestPlace<'p>,
    findings: &'f mut Vec<Finding>,
    skill: Skill,
    description_line: Option<u32>,
}

impl FieldReader<'_, '_> {
    /// Reads all fields of a level. Of a repeated key, the first is used.
    fn read(&mut self, fields: &[Field<'_>], level: Level) {
        for (index, field) in fields.iter().enumerate() {
            if fields.iter().take(index).any(|earlier| earlier.key == field.key) {
                let message = format!("the key `{}` is repeated: the first is used", excerpt(&field.key));
                self.report(field.line, FindingCode::DuplicateKey, message);
            } else {
                self.read_field(field, level);
            }
        }
    }

    /// Reads a field into the skill. Keys differ between clients in case and separators.
    fn read_field(&mut self, field: &Field<'_>, level: Level) {
        let key = field.key.to_lowercase().replace('_', "-");
        match (key.as_str(), level) {
            ("description", Level::Root) => {
                self.description_line = Some(field.line);
                self.skill.description = self.text(field);
            }
            ("metadata", Level::Root) => match &field.value {
                Value::Map(fields) => self.read(fields, Level::Metadata),
                Value::Text(text) if text.is_empty() => {}
                _ => self.report_type(field, "a mapping"),
            },
            ("disable-model-invocation", _) => match self.text(field).to_lowercase().as_str() {
                "true" | "yes" | "on" => self.skill.explicit_only = true,
                "false" | "no" | "off" | "" => {}
                _ => self.report_type(field, "`true` or `false`"),
            },
            ("when-to-use" | "whentouse", _) => self.skill.when_to_use = self.text(field),
            ("routing-role", _) => self.skill.role = Some(self.text(field)).filter(|role| !role.is_empty()),
            ("turnwise-model", _) => self.skill.model = Some(self.text(field)).filter(|model| !model.is_empty()),
            ("turnwise-tier", _) => match self.text(field).to_lowercase().as_str() {
                "" => {}
                name => match Tier::named(name) {
                    Some(tier) => self.skill.tier = Some(tier),
                    None => self.report_type(field, "`fast`, `balanced` or `deep`"),
                },
            },
            ("keywords" | "activation-keywords" | "trigger-keywords" | "routing-keywords" | "triggers", _) => {
                let keywords = self.list(field);
                for keyword in keywords.iter().filter(|keyword| suspicious::is_regex(keyword)) {
                    let message = format!("the keyword `{keyword}` is compared as text, not as a regular expression");
                    self.report(field.line, FindingCode::RegexInKeyword, message);
                }
                add_new(&mut self.skill.keywords, keywords);
            }
            ("negative-keywords" | "routing-negative", _) => {
                let keywords = self.list(field);
                add_new(&mut self.skill.negative_keywords, keywords);
            }
            ("paths" | "globs" | "routing-paths", _) => {
                let patterns = self.patterns(field);
                add_new(&mut self.skill.paths, patterns);
            }
            ("tags" | "routing-tags", _) => {
                let tags = self.list(field);
                add_new(&mut self.skill.tags, tags);
            }
            _ => {}
        }
    }

    /// Returns the text of a field; empty and reported if it is a list or mapping.
    fn text(&mut self, field: &Field<'_>) -> String {
        match &field.value {
            Value::Text(text) => text.trim().to_owned(),
            Value::List(_) | Value::Map(_) => {
                self.report_type(field, "a text");
                String::new()
            }
        }
    }

    /// Returns the texts of a list, or of a text with commas or lines between them. Entries beyond the limits are
    /// reported and left out.
    fn list(&mut self, field: &Field<'_>) -> Vec<String> {
        let mut entries: Vec<(u32, &str)> = Vec::new();
        match &field.value {
            Value::Text(text) => entries.extend(text.split([',', '\n']).map(|entry| (field.line, entry))),
            Value::List(items) => {
                for (line, item) in items {
                    match item {
                        Value::Text(text) => entries.push((*line, text)),
                        Value::List(_) | Value::Map(_) => {
                            let message = format!("an item of `{}` is no text", excerpt(&field.key));
                            self.report(*line, FindingCode::WrongType, message);
                        }
                    }
                }
            }
            Value::Map(_) => self.report_type(field, "a list of texts"),
        }
        let mut texts = Vec::new();
        for (line, entry) in entries.into_iter().map(|(line, entry)| (line, entry.trim())) {
            if entry.is_empty() {
                continue;
            }
            if texts.len() == MAX_VALUES {
                let message = format!("`{}` has more than {MAX_VALUES} entries", excerpt(&field.key));
                self.report(line, FindingCode::TooManyValues, message);
                break;
            }
            if MAX_VALUE_BYTES < entry.len() {
                let message = format!(
                    "an entry of `{}` has {} bytes, the most is {MAX_VALUE_BYTES}",
                    excerpt(&field.key),
                    entry.len()
                );
                self.report(line, FindingCode::LongValue, message);
            } else {
                texts.push(entry.to_owned());
            }
        }
        texts
    }

    /// Returns the file patterns of a list. Those with too many wildcards are reported and left out.
    fn patterns(&mut self, field: &Field<'_>) -> Vec<String> {
        let mut patterns = self.list(field);
        patterns.retain(|pattern| {
            let wildcards = pattern.chars().filter(|letter| matches!(letter, '*' | '?' | '{' | '[' | ',')).count();
            if MAX_WILDCARDS < wildcards {
                let message = format!("a pattern of `{}` has {wildcards} wildcards", excerpt(&field.key));
                self.report(field.line, FindingCode::ComplexPattern, message);
            }
            wildcards <= MAX_WILDCARDS
        });
        patterns
    }

    /// Adds a finding at a line.
    fn report(&mut self, line: u32, code: FindingCode, message: String) {
        self.findings.push(Finding::at_line(self.place.path, line, code, message));
    }

    /// Adds the finding that a value has the wrong type.
    fn report_type(&mut self, field: &Field<'_>, expected: &str) {
        let message = format!("`{}` is not {expected}, and is ignored", excerpt(&field.key));
        self.report(field.line, FindingCode::WrongType, message);
    }
}

/// Appends the texts that a list does not contain, ignoring the case of ASCII letters.
fn add_new(list: &mut Vec<String>, texts: Vec<String>) {
    for text in texts {
        if !list.iter().any(|known| known.eq_ignore_ascii_case(&text)) {
            list.push(text);
        }
    }
}

/// Determines the name of the skill, with the prefix of its plugin.
fn resolve_name(
    fields: &[Field<'_>],
    place: &ManifestPlace<'_>,
    findings: &mut Vec<Finding>,
) -> Result<String, Finding> {
    let written = fields.iter().find_map(|field| match &field.value {
        Value::Text(text) if field.key.eq_ignore_ascii_case("name") && !text.trim().is_empty() => {
            Some((field.line, text.trim()))
        }
        _ => None,
    });
    let name = match written {
        Some((line, written)) => {
            let Some(chosen) = choose_name(written, place.folder) else {
                let message = "neither `name` nor the folder is a name that can be typed: use a-z, 0-9 and `-`";
                return Err(Finding::at_line(place.path, line, FindingCode::UnusableName, message));
            };
            if let Some(deviation) = chosen.deviation {
                findings.push(Finding::at_line(place.path, line, FindingCode::InvalidName, deviation));
            } else if chosen.name != place.folder {
                let message = format!("the skill is `{}`, its folder is `{}`", chosen.name, place.folder);
                findings.push(Finding::at_line(place.path, line, FindingCode::NameDiffersFromFolder, message));
            }
            chosen.name
        }
        None if is_usable(place.folder) => {
            let message = format!("`name` is missing: the name of the folder, `{}`, is used", place.folder);
            findings.push(Finding::at_line(place.path, 1, FindingCode::NoName, message));
            place.folder.to_owned()
        }
        None => {
            let message = "`name` is missing, and the name of the folder cannot be typed: use a-z, 0-9 and `-`";
            return Err(Finding::at_line(place.path, 1, FindingCode::UnusableName, message));
        }
    };
    Ok(place.plugin.map_or_else(|| name.clone(), |plugin| format!("{plugin}:{name}")))
}

/// Adds the findings about the texts by which a skill is found; `line` is that of the description.
fn check_description(skill: &Skill, line: Option<u32>, path: &str, findings: &mut Vec<Finding>) {
    let line = line.unwrap_or(1);
    let characters = skill.description.chars().count();
    if characters == 0 {
        let message = "`description` is missing: the skill is loaded only by name or keywords";
        findings.push(Finding::at_line(path, line, FindingCode::NoDescription, message));
    } else if MAX_DESCRIPTION_CHARACTERS < characters {
        let message = format!(
            "the description has {characters} characters; clients accept {MAX_DESCRIPTION_CHARACTERS} and cut the rest"
        );
        findings.push(Finding::at_line(path, line, FindingCode::LongText, message));
    }
    for text in [&skill.description, &skill.when_to_use] {
        if let Some(phrase) = suspicious::find_instruction(text) {
            let message = format!(
                "the text `{phrase}` addresses the model or the router; a description states what the skill does"
            );
            findings.push(Finding::at_line(path, line, FindingCode::InstructionInText, message));
        }
    }
}

/// Returns the start of a key for a message.
fn excerpt(key: &str) -> &str {
    key.char_indices().nth(40).map_or(key, |(end, _)| &key[..end])
}
