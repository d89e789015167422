//! Collects the user's messages and the open tool results of a conversation.

use std::{borrow::Cow, ops::Range};

use client_formats::{
    client::may_name_directory,
    user_text::{self, UserText},
};

use crate::{
    json::Text,
    request_summary::{ToolResult, UserMessage},
};

/// The user's messages and the tool results of the conversation so far.
#[derive(Debug, Default)]
pub(crate) struct History<'a> {
    pub(crate) messages: Vec<UserMessage<'a>>,
    /// Tool results after the last message of the model.
    pub(crate) results: Vec<ToolResult<'a>>,
    /// Whether the last input continues the running turn.
    pub(crate) continues: bool,
    /// Index in the conversation of the user's last message.
    pub(crate) last_user: Option<usize>,
    /// Whether there is a message other than a system message.
    pub(crate) begun: bool,
    /// Whether the client is aider, which puts an example and its files before the conversation.
    pub(crate) aider: bool,
    /// The last message that may be injected; used if there is no other.
    fallback: Option<(usize, UserMessage<'a>)>,
}

/// A message that is being read.
#[derive(Debug, Default)]
pub(crate) struct Draft<'a> {
    pub(crate) texts: Vec<Text<'a>>,
    /// Whether it contains images.
    pub(crate) images: bool,
    pub(crate) results: Vec<ToolResult<'a>>,
    /// Whether this is the content of a tool result.
    pub(crate) inside_result: bool,
    /// The author; the user until another role is read.
    pub(crate) by: Author,
    /// Whether it contains a tool call.
    pub(crate) calls: bool,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Author {
    #[default]
    User,
    Model,
    System,
}

impl<'a> Draft<'a> {
    /// Returns the texts that may be injected and name the working directory.
    pub(crate) fn injected(&self) -> impl Iterator<Item = Text<'a>> {
        self.texts.iter().copied().filter(|text| may_name_directory(text.raw))
    }
}

impl<'a> History<'a> {
    /// Records a message of the model.
    pub(crate) fn assistant_message(&mut self) {
        self.begun = true;
        self.results.clear();
    }

    /// Records a message with the role `user`, or a tool result; `index` is its position in the conversation.
    pub(crate) fn user_message(&mut self, index: usize, draft: &Draft<'a>) {
        self.begun = true;
        let before = self.messages.len();
        let mut typed_text = TypedText::default();
        // Texts beside a tool result are the client's own, unless the user interrupted the turn.
        let mut is_users = draft.results.is_empty();
        let mut news = false;
        for text in &draft.texts {
            let decoded = text.decoded();
            match user_text::classify(&decoded, self.aider) {
                UserText::Typed(range) if is_users => typed_text.append(text, decoded, range),
                UserText::Command(command) if is_users => typed_text.command = Some(command),
                UserText::Interruption => {
                    self.push(index, typed_text.take(draft.images));
                    is_users = true;
                }
                UserText::CommandOutput => typed_text.command = None,
                UserText::Notification => news = true,
                UserText::ExampleEnd => {
                    self.messages.clear();
                    self.last_user = None;
                }
                UserText::Typed(_) | UserText::Command(_) | UserText::Injected => {}
            }
        }
        self.push(index, typed_text.take(draft.images));
        self.results.extend(draft.results.iter().cloned());
        if self.messages.len() > before {
            self.continues = false;
        } else if news || !draft.results.is_empty() {
            self.continues = true;
        } else if draft.images {
            // A message that consists of images only.
            self.push(index, Some(UserMessage { text: Cow::Borrowed(""), span: None, has_images: true }));
            self.continues = false;
        } else if let Some(text) = draft.texts.last() {
            let message = UserMessage { text: text.decoded(), span: Some(text.start..text.end()), has_images: false };
            self.fallback = Some((index, message));
        }
    }

    fn push(&mut self, index: usize, message: Option<UserMessage<'a>>) {
        if let Some(message) = message {
            self.messages.push(message);
            self.last_user = Some(index);
        }
    }

    /// Uses the last injected message if the user typed none.
    pub(crate) fn use_fallback(&mut self) {
        if self.messages.is_empty()
            && let Some((index, message)) = self.fallback.take()
        {
            self.push(index, Some(message));
        }
    }
}

/// The typed texts of one message, joined with line feeds.
#[derive(Default)]
struct TypedText<'a> {
    message: Option<(Cow<'a, str>, Range<usize>)>,
    /// The name of a command. The text after it is its prompt, unless the output of the command follows.
    command: Option<String>,
}

impl<'a> TypedText<'a> {
    fn append(&mut self, text: &Text<'a>, decoded: Cow<'a, str>, typed: Range<usize>) {
        if self.command.is_some() {
            return;
        }
        let from = typed.start;
        let piece = match decoded {
            Cow::Borrowed(text) => Cow::Borrowed(text.get(typed).unwrap_or_default()),
            Cow::Owned(text) if typed == (0..text.len()) => Cow::Owned(text),
            Cow::Owned(text) => Cow::Owned(text.get(typed).unwrap_or_default().to_owned()),
        };
        if let Some((message, _)) = &mut self.message {
            let message = message.to_mut();
            message.push('\n');
            message.push_str(&piece);
        } else {
            let skipped = text.raw_bytes(from).unwrap_or_default();
            self.message = Some((piece, text.start + skipped..text.end()));
        }
    }

    fn take(&mut self, has_images: bool) -> Option<UserMessage<'a>> {
        if let Some(command) = self.command.take() {
            self.message = None;
            return Some(UserMessage { text: Cow::Owned(command), span: None, has_images });
        }
        let (text, span) = self.message.take()?;
        Some(UserMessage { text, span: Some(span), has_images })
    }
}
