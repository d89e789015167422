//! Parses YAML into a tree in which every value has its position in the file.
//!
//! The parser that serde-saphyr is based on is used directly, because a deserializer stops at the first error, and a
//! policy check reports all of them. Anchors, aliases and tags are rejected, so that a file cannot expand in memory.
//! Depth and size are limited.

use std::borrow::Cow;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span};

use crate::policy::Problem;

/// The maximum size of a policy file, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// The maximum nesting of lists and mappings.
const MAX_DEPTH: usize = 32;

/// The position in a file at which a value starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilePosition {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column, from 1.
    pub(crate) column: usize,
}

/// A YAML value, with the position of its start.
#[derive(Debug, Clone)]
pub(crate) struct YamlNode<'a> {
    /// The position of its start.
    pub(crate) mark: FilePosition,
    /// The value.
    pub(crate) value: YamlValue<'a>,
}

/// The content of a YAML value. Scalars remain text until they are interpreted as a number or boolean, so that numbers
/// stay exact.
#[derive(Debug, Clone)]
pub(crate) enum YamlValue<'a> {
    /// A text, number, boolean or null.
    Scalar {
        /// The text, without quotes and with escapes resolved.
        text: Cow<'a, str>,
        /// Whether the text is unquoted, so that it may be a number, a boolean or null.
        plain: bool,
    },
    /// A list of values.
    List(Vec<YamlNode<'a>>),
    /// The keys and values of a mapping, in the order of the file; keys may be repeated.
    Map(Vec<(YamlNode<'a>, YamlNode<'a>)>),
}

impl YamlNode<'_> {
    /// Returns the type of the value in words, for error messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            YamlValue::Scalar { text, plain: true } if is_null(text) => "nothing",
            YamlValue::Scalar { text, plain: true } if matches!(text.as_ref(), "true" | "false") => "a boolean",
            YamlValue::Scalar { text, plain: true } if is_number(text) => "a number",
            YamlValue::Scalar { .. } => "text",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "a mapping",
        }
    }

    /// Returns the text of the scalar that a mapping has for the key `name`. `None` if this is no mapping, or if the
    /// key is missing or has no scalar.
    pub(crate) fn member(&self, name: &str) -> Option<&str> {
        let YamlValue::Map(members) = &self.value else { return None };
        let is_named = |key: &YamlNode<'_>| matches!(&key.value, YamlValue::Scalar { text, .. } if text == name);
        match &members.iter().find(|(key, _)| is_named(key))?.1.value {
            YamlValue::Scalar { text, .. } => Some(text),
            YamlValue::List(_) | YamlValue::Map(_) => None,
        }
    }

    /// Returns whether the value is null, as after a `key:` without a value.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, YamlValue::Scalar { text, plain: true } if is_null(text))
    }
}

/// Returns whether a text is a number. Rust also parses `nan` and `infinity` as numbers; in YAML they are texts.
fn is_number(text: &str) -> bool {
    text.contains(|letter: char| letter.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// Returns whether an unquoted scalar is null.
pub(crate) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null")
}

impl From<&Span> for FilePosition {
    fn from(span: &Span) -> Self {
        // The parser counts lines from 1 and columns from 0.
        Self { line: span.start.line(), column: span.start.col() + 1 }
    }
}

/// Parses a YAML file that contains one document. Returns its root; `None` if the file is empty.
///
/// # Errors
/// The first [`Problem`]: invalid YAML, an anchor, alias or tag, a second document, or more than [`MAX_BYTES`] or
/// [`MAX_DEPTH`].
pub(crate) fn parse_document(text: &str) -> Result<Option<YamlNode<'_>>, Problem> {
    if MAX_BYTES < text.len() {
        let message = format!("the file has {} bytes, the most is {MAX_BYTES}", text.len());
        return Err(Problem { line: 1, column: 1, message });
    }
    let mut options = Options::default();
    // If another crate enables comments in the parser, many in a row would be an error.
    options.set_emit_comments(false);
    options.emit_unresolved_aliases = true;
    let mut builder = TreeBuilder { parser: Parser::new_from_str_with_options(text, options) };
    builder.read_document()
}

/// Builds the tree of values from the events of the YAML parser. Stops at the first error.
struct TreeBuilder<'a> {
    /// The parser, which reads the file event by event.
    parser: Parser<'a, granit_parser::StrInput<'a>>,
}

/// An event of the YAML parser that is relevant for the tree.
enum TreeEvent<'a> {
    /// The start of a document.
    Document,
    /// A scalar, as in [`YamlValue::Scalar`].
    Scalar {
        /// The text, without quotes and with escapes resolved.
        text: Cow<'a, str>,
        /// Whether the text is unquoted.
        plain: bool,
    },
    /// The start of a list.
    List,
    /// The start of a mapping.
    Map,
    /// The end of a list or a mapping.
    End,
}

impl<'a> TreeBuilder<'a> {
    /// Returns the next event that is relevant for the tree, with its position; `None` at the end of the file.
    ///
    /// # Errors
    /// A [`Problem`] if the YAML is invalid or has an anchor, an alias or a tag.
    fn next_tree_event(&mut self) -> Result<Option<(TreeEvent<'a>, FilePosition)>, Problem> {
        while let Some(event) = self.parser.next_event() {
            let (event, span) = event.map_err(|error| {
                let at = error.marker();
                let mark = FilePosition { line: at.line(), column: at.col() + 1 };
                problem(mark, &format!("not valid YAML: {}", error.info()))
            })?;
            let mark = FilePosition::from(&span);
            let event = match event {
                Event::DocumentStart(..) => TreeEvent::Document,
                Event::Scalar(text, style, anchor, tag) => {
                    reject_anchor_and_tag(mark, anchor, tag.is_some())?;
                    TreeEvent::Scalar { text, plain: style == ScalarStyle::Plain }
                }
                Event::SequenceStart(_, anchor, tag) => {
                    reject_anchor_and_tag(mark, anchor, tag.is_some())?;
                    TreeEvent::List
                }
                Event::MappingStart(_, anchor, tag) => {
                    reject_anchor_and_tag(mark, anchor, tag.is_some())?;
                    TreeEvent::Map
                }
                Event::SequenceEnd | Event::MappingEnd => TreeEvent::End,
                Event::Alias(_) | Event::UnresolvedAlias(_) => {
                    return Err(problem(mark, "aliases (`*name`) are not supported: write the value out"));
                }
                _ => continue,
            };
            return Ok(Some((event, mark)));
        }
        Ok(None)
    }

    /// Parses the document and returns its root; `None` if the file is empty.
    ///
    /// # Errors
    /// A [`Problem`] if a value is invalid or a second document follows.
    fn read_document(&mut self) -> Result<Option<YamlNode<'a>>, Problem> {
        let mut root = None;
        while let Some((event, mark)) = self.next_tree_event()? {
            match event {
                TreeEvent::Document if root.is_some() => {
                    return Err(problem(mark, "a second document starts here: a policy is one document"));
                }
                TreeEvent::Document => {}
                event => root = Some(self.read_node(event, mark, 0)?),
            }
        }
        Ok(root)
    }

    /// Parses the value that starts with `event` at `mark`, with all values in it. `depth` is the number of lists and
    /// mappings that enclose it.
    ///
    /// # Errors
    /// A [`Problem`] if the value is invalid, not complete, or nested too deeply.
    fn read_node(&mut self, event: TreeEvent<'a>, mark: FilePosition, depth: usize) -> Result<YamlNode<'a>, Problem> {
        if MAX_DEPTH < depth {
            return Err(problem(mark, "nested too deeply: the most is 32 levels"));
        }
        let value = match event {
            TreeEvent::Scalar { text, plain } => YamlValue::Scalar { text, plain },
            TreeEvent::List => {
                let mut items = Vec::new();
                while let Some(item) = self.read_item(mark, depth)? {
                    items.push(item);
                }
                YamlValue::List(items)
            }
            TreeEvent::Map => {
                let mut entries = Vec::new();
                while let Some(key) = self.read_item(mark, depth)? {
                    let value = self.read_item(mark, depth)?.ok_or_else(|| truncated_value(mark))?;
                    entries.push((key, value));
                }
                YamlValue::Map(entries)
            }
            TreeEvent::Document | TreeEvent::End => return Err(truncated_value(mark)),
        };
        Ok(YamlNode { mark, value })
    }

    /// Parses the next value in the list or mapping that started at `mark`; `None` at its end.
    ///
    /// # Errors
    /// A [`Problem`] if the value is invalid, or if the file ends before the list or mapping does.
    fn read_item(&mut self, mark: FilePosition, depth: usize) -> Result<Option<YamlNode<'a>>, Problem> {
        match self.next_tree_event()? {
            Some((TreeEvent::End, _)) => Ok(None),
            Some((event, at)) => self.read_node(event, at, depth + 1).map(Some),
            None => Err(truncated_value(mark)),
        }
    }
}

/// Creates the problem of a value that started at `mark` and does not end before the file does.
fn truncated_value(mark: FilePosition) -> Problem {
    problem(mark, "the file ends inside this value")
}

/// Reports an anchor (other than 0, which means none) or a tag on a node as a problem, because they are not supported.
fn reject_anchor_and_tag(mark: FilePosition, anchor: usize, has_tag: bool) -> Result<(), Problem> {
    if anchor != 0 {
        return Err(problem(mark, "anchors (`&name`) are not supported: write the value out"));
    }
    if has_tag {
        return Err(problem(mark, "tags (`!name`) are not supported"));
    }
    Ok(())
}

/// Creates a problem at a position.
fn problem(mark: FilePosition, message: &str) -> Problem {
    Problem { line: mark.line, column: mark.column, message: message.to_owned() }
}
