//! [`Finding`], a problem in a file that describes skills.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A problem in a file that describes skills: a `SKILL.md`, a trigger table or a folder of skills.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// The path of the file or folder, as in [`Skill::path`](crate::Skill::path).
    pub path: String,
    /// The line of the problem, from 1; `None` if it concerns the file as a whole.
    pub line: Option<u32>,
    /// The kind of problem.
    pub code: FindingCode,
    /// The problem and the next step, in one sentence without a final period.
    pub message: String,
}

impl Finding {
    /// Creates a finding about the whole file or folder at `path`.
    pub fn of_file(path: &str, code: FindingCode, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, code, message: message.into() }
    }

    /// Creates a finding at a line of the file at `path`; `line` counts from 1.
    pub fn at_line(path: &str, line: u32, code: FindingCode, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), code, message: message.into() }
    }

    /// Returns the severity of the kind of problem.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl fmt::Display for Finding {
    /// Formats the finding as `path:line: message (code)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.path)?;
        if let Some(line) = self.line {
            write!(formatter, ":{line}")?;
        }
        write!(formatter, ": {} ({})", self.message, self.code.name())
    }
}

/// The consequence of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The file or entry is not used.
    Error,
    /// The file is used, and requests are probably routed differently than its author intends.
    Warning,
    /// A recommendation for authors of skills.
    Info,
}

impl Severity {
    /// Returns the severity as it is printed: `error`, `warning` or `info`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// Declares [`FindingCode`] with the name and severity of each variant.
macro_rules! finding_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal, $severity:ident;)+) => {
        /// The kind of a [`Finding`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum FindingCode {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl FindingCode {
            /// All kinds, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the name by which output and documentation refer to the kind, such as `invalid-yaml`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Returns the consequence of this kind of problem.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }
        }
    };
}

finding_codes! {
    /// A file or folder exists and cannot be read.
    Unreadable = "unreadable", Error;
    /// The name `SKILL.md` belongs to something other than a regular file, such as a pipe.
    NotAFile = "not-a-file", Error;
    /// A file is longer than the limit.
    FileTooLarge = "file-too-large", Error;
    /// A folder contains itself through a link.
    FolderLoop = "folder-loop", Warning;
    /// Folders are nested more deeply than the limit.
    FolderTooDeep = "folder-too-deep", Warning;
    /// A folder has more entries or skills than the limit.
    TooManyFiles = "too-many-files", Warning;
    /// A file has become invalid, and its last valid content remains in use.
    LastValidVersion = "last-valid-version", Warning;
    /// A file is not UTF-8.
    NotUtf8 = "not-utf8", Error;
    /// A text contains control characters or invisible characters.
    HiddenCharacter = "hidden-character", Warning;
    /// UTF-8 was decoded as a Windows code page, such as `â€™` in place of an apostrophe.
    WrongEncoding = "wrong-encoding", Warning;
    /// A `SKILL.md` does not start with front matter.
    NoFrontMatter = "no-front-matter", Warning;
    /// The front matter has no closing line.
    UnclosedFrontMatter = "unclosed-front-matter", Error;
    /// The front matter is longer than the limit.
    FrontMatterTooLarge = "front-matter-too-large", Error;
    /// The front matter is not valid YAML, and its top-level texts were read line by line.
    RepairedYaml = "repaired-yaml", Warning;
    /// The front matter is not valid YAML and has no readable name or description.
    InvalidYaml = "invalid-yaml", Error;
    /// The front matter has an anchor, an alias or a tag, by which YAML can expand in memory.
    YamlExpansion = "yaml-expansion", Error;
    /// Lists and mappings in the front matter are nested more deeply than the limit.
    NestedTooDeeply = "nested-too-deeply", Error;
    /// A key of the front matter is repeated.
    DuplicateKey = "duplicate-key", Warning;
    /// The value of a key has a type that the key does not accept.
    WrongType = "wrong-type", Warning;
    /// The front matter has no name, and the name of the folder is used.
    NoName = "no-name", Warning;
    /// The name of a skill violates the specification of Agent Skills.
    InvalidName = "invalid-name", Warning;
    /// Neither the front matter nor the folder has a name by which the skill can be loaded.
    UnusableName = "unusable-name", Error;
    /// The name of a skill differs from the name of its folder.
    NameDiffersFromFolder = "name-differs-from-folder", Warning;
    /// A skill has no description.
    NoDescription = "no-description", Warning;
    /// A text of the front matter is longer than the specification of Agent Skills allows.
    LongText = "long-text", Warning;
    /// A list of the front matter has more entries than the limit; the others are not used.
    TooManyValues = "too-many-values", Warning;
    /// An entry of a list of the front matter is longer than the limit and is not used.
    LongValue = "long-value", Warning;
    /// A keyword looks like a regular expression, and is compared as text.
    RegexInKeyword = "regex-in-keyword", Warning;
    /// A file pattern has more wildcards than the limit and is not used.
    ComplexPattern = "complex-pattern", Warning;
    /// A description addresses the model or the router with instructions, which are not followed.
    InstructionInText = "instruction-in-text", Warning;
    /// Two skills of the same scope have one name, and the one with the smaller path is used.
    DuplicateName = "duplicate-name", Warning;
    /// A skill of the user has the name of a skill of the project, which is used.
    ShadowedName = "shadowed-name", Warning;
    /// The names and descriptions of all skills are longer than clients list.
    CatalogueTooLarge = "catalogue-too-large", Warning;
    /// A description does not state when the skill is used.
    NoUseCase = "no-use-case", Warning;
    /// A description has few terms of its domain.
    FewDomainTerms = "few-domain-terms", Warning;
    /// A skill has no section about when not to use it.
    NoExclusions = "no-exclusions", Warning;
    /// A skill has no checklist.
    NoChecklist = "no-checklist", Info;
    /// A skill refers to no other document or skill.
    NoReferences = "no-references", Info;
    /// A skill has fewer than three keywords.
    FewKeywords = "few-keywords", Warning;
    /// The trigger table and the `SKILL.md` have different keywords for a skill.
    KeywordDrift = "keyword-drift", Warning;
    /// The trigger table has no row for a skill.
    UnroutedSkill = "unrouted-skill", Info;
    /// A labelled request cannot be used.
    InvalidCase = "invalid-case", Error;
    /// A row of the trigger table has a skill that no folder contains.
    UnknownSkill = "unknown-skill", Warning;
    /// A file has no trigger table.
    NoTriggerTable = "no-trigger-table", Error;
    /// A row of a trigger table has a faulty cell, which is not used.
    InvalidRow = "invalid-row", Warning;
    /// A compound trigger does not follow the grammar and is not used.
    InvalidCompound = "invalid-compound", Error;
    /// Two skills have the same keyword, or one that contains the keyword of the other.
    KeywordCollision = "keyword-collision", Warning;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Finding, FindingCode};

    #[test]
    fn a_finding_prints_its_place_its_message_and_its_code() {
        let finding = Finding::at_line("a/SKILL.md", 3, FindingCode::InvalidYaml, "the text is not closed");
        assert_eq!(finding.to_string(), "a/SKILL.md:3: the text is not closed (invalid-yaml)");
        let finding = Finding::of_file("a", FindingCode::FolderLoop, "it contains itself");
        assert_eq!(finding.to_string(), "a: it contains itself (folder-loop)");
    }

    #[test]
    fn names_of_codes_are_unique_and_are_their_serialized_form() {
        let names: BTreeSet<_> = FindingCode::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), FindingCode::ALL.len());
        for code in FindingCode::ALL {
            assert_eq!(serde_json::to_string(code).unwrap(), format!("\"{}\"", code.name()));
        }
    }
}
