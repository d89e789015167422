//! Parses the YAML of front matter into fields with their lines.
//!
//! Anchors, aliases and tags are rejected, so that a short text cannot expand in memory.

use std::borrow::Cow;

use granit_parser::{Event, Options, Parser, Span, StrInput};

use super::limits::MAX_DEPTH;
use crate::finding::{Finding, FindingCode};

/// A key of a mapping, with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// The key, as written.
    pub(super) key: Cow<'a, str>,
    /// The line of the key in the file, from 1.
    pub(super) line: u32,
    /// The value.
    pub(super) value: Value<'a>,
}

/// A value of front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A text, number, boolean or null, without quotes; null and a missing value are empty texts.
    Text(Cow<'a, str>),
    /// A list: each item with its line.
    List(Vec<(u32, Value<'a>)>),
    /// A mapping.
    Map(Vec<Field<'a>>),
}

/// The first problem of a YAML text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlProblem {
    /// The line in the file, from 1.
    pub(super) line: u32,
    /// The kind of problem.
    pub(super) code: FindingCode,
    /// The problem in words.
    pub(super) message: String,
}

impl YamlProblem {
    /// Converts the problem to a finding about the file at `path`.
    pub(super) fn at(self, path: &str) -> Finding {
        Finding::at_line(path, self.line, self.code, self.message)
    }

    /// Returns the problem of a text that was read line by line instead.
    pub(super) fn repaired(self) -> Self {
        let message = format!("{}; only simple texts and lists were read: quote texts that contain `: `", self.message);
        Self { code: FindingCode::RepairedYaml, message, ..self }
    }
}

/// Parses front matter, which starts at line 2 of its file.
///
/// # Errors
/// [`FindingCode::InvalidYaml`], [`FindingCode::YamlExpansion`] and [`FindingCode::NestedTooDeeply`].
pub(super) fn parse(text: &str) -> Result<Vec<Field<'_>>, YamlProblem> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.emit_unresolved_aliases = true;
    let mut reader = Reader { parser: Parser::new_from_str_with_options(text, options) };
    let mut root = Vec::new();
    while let Some((event, line)) = reader.next_event()? {
        match event {
            Token::Map => root.extend(reader.read_fields(0)?),
            Token::Text(text) if text.is_empty() => {}
            _ => return Err(invalid(line, "the front matter is no mapping: write lines of the form `key: value`")),
        }
    }
    Ok(root)
}

/// An event of the parser that is relevant for fields.
enum Token<'a> {
    /// A scalar.
    Text(Cow<'a, str>),
    /// The start of a list.
    List,
    /// The start of a mapping.
    Map,
    /// The end of a list or mapping.
    End,
}

/// Builds fields from the events of the parser.
struct Reader<'a> {
    /// The parser, which reads the text event by event.
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> Reader<'a> {
    /// Returns the next event with its line; `None` at the end of the text.
    ///
    /// # Errors
    /// A problem if the text is not valid YAML or contains an anchor, an alias or a tag.
    fn next_event(&mut self) -> Result<Option<(Token<'a>, u32)>, YamlProblem> {
        while let Some(event) = self.parser.next_event() {
            let (event, span) = event.map_err(|error| {
                invalid(file_line(error.marker().line()), &format!("not valid YAML: {}", error.info()))
            })?;
            let line = line_of(&span);
            let token = match event {
                Event::Scalar(text, _, anchor, tag) => {
                    reject_expansion(line, anchor, tag.is_some())?;
                    Token::Text(if is_null(&text) { Cow::Borrowed("") } else { text })
                }
                Event::SequenceStart(_, anchor, tag) => {
                    reject_expansion(line, anchor, tag.is_some())?;
                    Token::List
                }
                Event::MappingStart(_, anchor, tag) => {
                    reject_expansion(line, anchor, tag.is_some())?;
                    Token::Map
                }
                Event::SequenceEnd | Event::MappingEnd => Token::End,
                Event::Alias(_) | Event::UnresolvedAlias(_) => return Err(expansion(line)),
                _ => continue,
            };
            return Ok(Some((token, line)));
        }
        Ok(None)
    }

    /// Reads the fields of a mapping whose start was read. `depth` is the number of collections around it.
    fn read_fields(&mut self, depth: usize) -> Result<Vec<Field<'a>>, YamlProblem> {
        let mut fields = Vec::new();
        while let Some((token, line)) = self.next_event()? {
            let key = match token {
                Token::End => return Ok(fields),
                Token::Text(key) => Some(key),
                complex => {
                    self.read_value(complex, line, depth)?;
                    None
                }
            };
            let Some((token, value_line)) = self.next_event()? else { break };
            let value = self.read_value(token, value_line, depth)?;
            if let Some(key) = key {
                fields.push(Field { key, line, value });
            }
        }
        Ok(fields)
    }

    /// Reads the value that starts with `token`. `depth` is the number of collections around it.
    fn read_value(&mut self, token: Token<'a>, line: u32, depth: usize) -> Result<Value<'a>, YamlProblem> {
        if MAX_DEPTH <= depth {
            let message = format!("lists and mappings are nested more than {MAX_DEPTH} deep");
            return Err(YamlProblem { line, code: FindingCode::NestedTooDeeply, message });
        }
        match token {
            Token::Text(text) => Ok(Value::Text(text)),
            Token::Map => self.read_fields(depth + 1).map(Value::Map),
            Token::List => {
                let mut items = Vec::new();
                while let Some((token, line)) = self.next_event()? {
                    if matches!(token, Token::End) {
                        break;
                    }
                    items.push((line, self.read_value(token, line, depth + 1)?));
                }
                Ok(Value::List(items))
            }
            Token::End => Err(invalid(line, "a value is missing")),
        }
    }
}

/// Returns whether an unquoted scalar is null. Quoted, these texts have no meaning for a skill either.
fn is_null(text: &str) -> bool {
    matches!(text, "~" | "null" | "Null" | "NULL")
}

/// Returns the line of an event in the file.
fn line_of(span: &Span) -> u32 {
    file_line(span.start.line())
}

/// Converts a line of the front matter, from 1, to the line in the file, where a fence precedes it.
fn file_line(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1)
}

/// Creates a problem of invalid YAML.
fn invalid(line: u32, message: &str) -> YamlProblem {
    YamlProblem { line, code: FindingCode::InvalidYaml, message: message.to_owned() }
}

/// Creates the problem of an anchor, alias or tag.
fn expansion(line: u32) -> YamlProblem {
    let message = "anchors (`&a`), aliases (`*a`) and tags (`!a`) are not supported: quote a text that starts with \
                   `&`, `*` or `!`";
    YamlProblem { line, code: FindingCode::YamlExpansion, message: message.to_owned() }
}

/// Rejects a node with an anchor (0 if it has none) or a tag.
fn reject_expansion(line: u32, anchor: usize, has_tag: bool) -> Result<(), YamlProblem> {
    if anchor == 0 && !has_tag { Ok(()) } else { Err(expansion(line)) }
}
