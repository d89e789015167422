//! Parses YAML into a tree in which every value has its position.
//!
//! The parser that serde-saphyr is based on is used directly, because a deserializer stops at the first error, and a
//! policy check reports all of them. Anchors, aliases and tags are rejected, so that a file cannot expand in memory.
//! Depth and size are bounded.

use std::borrow::Cow;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span};

use crate::policy::Problem;

/// The maximum size of a policy file, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// The maximum nesting of lists and mappings.
const MAX_DEPTH: usize = 32;

/// The position of the start of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The column, from 1.
    pub(crate) column: usize,
}

/// A value of the tree, with the position of its start.
#[derive(Debug, Clone)]
pub(crate) struct Node<'a> {
    /// The position of its start.
    pub(crate) mark: Mark,
    /// The value.
    pub(crate) value: Value<'a>,
}

/// A value. Scalars stay text until their reader parses them, so that numbers stay exact.
#[derive(Debug, Clone)]
pub(crate) enum Value<'a> {
    /// A text, number, boolean or null.
    Scalar {
        /// The text, without quotes and with escapes resolved.
        text: Cow<'a, str>,
        /// Whether the text is unquoted, so that it may be a number, a boolean or null.
        plain: bool,
    },
    /// A list of values.
    List(Vec<Node<'a>>),
    /// The keys and values of a mapping, in the order of the file; keys may be repeated.
    Map(Vec<(Node<'a>, Node<'a>)>),
}

impl Node<'_> {
    /// Returns the type of the value, for error messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar { text, plain: true } if is_null(text) => "nothing",
            Value::Scalar { text, plain: true } if matches!(text.as_ref(), "true" | "false") => "a boolean",
            Value::Scalar { text, plain: true } if is_number(text) => "a number",
            Value::Scalar { .. } => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// Returns the text of a member of a mapping; `None` if this is no mapping, or the member is no scalar.
    pub(crate) fn member(&self, name: &str) -> Option<&str> {
        let Value::Map(members) = &self.value else { return None };
        let is_named = |key: &Node<'_>| matches!(&key.value, Value::Scalar { text, .. } if text == name);
        match &members.iter().find(|(key, _)| is_named(key))?.1.value {
            Value::Scalar { text, .. } => Some(text),
            Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Returns whether the value is null, as after a `key:` without a value.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if is_null(text))
    }
}

/// Returns whether a text is a number. Rust also parses `nan` and `infinity` as numbers; in YAML they are texts.
fn is_number(text: &str) -> bool {
    text.contains(|letter: char| letter.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// Returns whether an unquoted scalar is null.
fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null")
}

impl From<&Span> for Mark {
    fn from(span: &Span) -> Self {
        // The parser counts lines from 1 and columns from 0.
        Self { line: span.start.line(), column: span.start.col() + 1 }
    }
}

/// Parses a file of one document; `None` if it is empty.
///
/// # Errors
/// The first [`Problem`]: invalid YAML, an anchor, alias or tag, a second document, or more than [`MAX_BYTES`] or
/// [`MAX_DEPTH`].
pub(crate) fn parse(text: &str) -> Result<Option<Node<'_>>, Problem> {
    if MAX_BYTES < text.len() {
        let message = format!("the file has {} bytes, the most is {MAX_BYTES}", text.len());
        return Err(Problem { line: 1, column: 1, message });
    }
    let mut options = Options::default();
    // If another crate enables comments in the parser, many in a row would be an error.
    options.set_emit_comments(false);
    options.emit_unresolved_aliases = true;
    let mut reader = Reader { parser: Parser::new_from_str_with_options(text, options) };
    reader.document()
}

/// Builds the tree from the events of the parser, up to the first error.
struct Reader<'a> {
    /// The parser, which reads the file event by event.
    parser: Parser<'a, granit_parser::StrInput<'a>>,
}

/// The events of the parser that matter for the tree.
enum TreeEvent<'a> {
    /// The start of a document.
    Document,
    /// A scalar, as in [`Value::Scalar`].
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

impl<'a> Reader<'a> {
    /// Returns the next event that the tree needs, with its position; `None` at the end of the file. Fails for invalid
    /// YAML, and for anchors, aliases and tags.
    fn next(&mut self) -> Result<Option<(TreeEvent<'a>, Mark)>, Problem> {
        while let Some(event) = self.parser.next_event() {
            let (event, span) = event.map_err(|error| {
                let at = error.marker();
                let mark = Mark { line: at.line(), column: at.col() + 1 };
                problem(mark, &format!("not valid YAML: {}", error.info()))
            })?;
            let mark = Mark::from(&span);
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

    /// Reads the document; `None` if the file is empty. A second document is an error.
    fn document(&mut self) -> Result<Option<Node<'a>>, Problem> {
        let mut root = None;
        while let Some((event, mark)) = self.next()? {
            match event {
                TreeEvent::Document if root.is_some() => {
                    return Err(problem(mark, "a second document starts here: a policy is one document"));
                }
                TreeEvent::Document => {}
                event => root = Some(self.node(event, mark, 0)?),
            }
        }
        Ok(root)
    }

    /// Reads the value that starts with `event` at `mark`, with everything inside it. `depth` is the number of lists
    /// and mappings around it.
    fn node(&mut self, event: TreeEvent<'a>, mark: Mark, depth: usize) -> Result<Node<'a>, Problem> {
        if MAX_DEPTH < depth {
            return Err(problem(mark, "nested too deeply: the most is 32 levels"));
        }
        let value = match event {
            TreeEvent::Scalar { text, plain } => Value::Scalar { text, plain },
            TreeEvent::List => {
                let mut items = Vec::new();
                while let Some(item) = self.item(mark, depth)? {
                    items.push(item);
                }
                Value::List(items)
            }
            TreeEvent::Map => {
                let mut entries = Vec::new();
                while let Some(key) = self.item(mark, depth)? {
                    let value = self.item(mark, depth)?.ok_or_else(|| truncated_value(mark))?;
                    entries.push((key, value));
                }
                Value::Map(entries)
            }
            TreeEvent::Document | TreeEvent::End => return Err(truncated_value(mark)),
        };
        Ok(Node { mark, value })
    }

    /// Returns the next value of the list or mapping that started at `mark`; `None` at its end.
    fn item(&mut self, mark: Mark, depth: usize) -> Result<Option<Node<'a>>, Problem> {
        match self.next()? {
            Some((TreeEvent::End, _)) => Ok(None),
            Some((event, at)) => self.node(event, at, depth + 1).map(Some),
            None => Err(truncated_value(mark)),
        }
    }
}

/// Returns the problem of a value, which starts at `mark`, that does not end before the file does.
fn truncated_value(mark: Mark) -> Problem {
    problem(mark, "the file ends inside this value")
}

/// Rejects a node with an anchor (other than 0) or a tag, which are not supported.
fn reject_anchor_and_tag(mark: Mark, anchor: usize, has_tag: bool) -> Result<(), Problem> {
    if anchor != 0 {
        return Err(problem(mark, "anchors (`&name`) are not supported: write the value out"));
    }
    if has_tag {
        return Err(problem(mark, "tags (`!name`) are not supported"));
    }
    Ok(())
}

/// Creates a problem at a position.
fn problem(mark: Mark, message: &str) -> Problem {
    Problem { line: mark.line, column: mark.column, message: message.to_owned() }
}
