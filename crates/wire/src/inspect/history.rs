//! Collects the user's messages and the open tool results of a conversation.

use std::{borrow::Cow, ops::Range};

use client_formats::{
    client::{PromptClient, may_name_directory},
    user_text::{self, UserText},
};

use crate::{
    json::Text,
    request_summary::{ToolResult, UserMessage},
};

/// The part of a conversation that has been read: the user's messages, the latest tool results, and whether the last
/// input continues a turn.
#[derive(Debug, Default)]
pub(crate) struct History<'a> {
    /// The messages that the user typed, in order.
    pub(crate) messages: Vec<UserMessage<'a>>,
    /// The tool results after the last message of the model.
    pub(crate) results: Vec<ToolResult<'a>>,
    /// Whether the last input, a tool result or a notification, continues the running turn.
    pub(crate) continues_turn: bool,
    /// The index of the user's last message in the conversation; `None` if there is none.
    pub(crate) last_user: Option<usize>,
    /// Whether there is a message other than a system message.
    pub(crate) has_begun: bool,
    /// The client, if its system prompt identifies it; `None` otherwise.
    pub(crate) client: Option<PromptClient>,
    /// The last message with only injected texts, and its index. It is used if the user typed no message.
    fallback: Option<(usize, UserMessage<'a>)>,
}

/// The content of one message or tool result, collected while its parts are inspected and recorded afterwards.
#[derive(Debug, Default)]
pub(crate) struct MessageDraft<'a> {
    /// The texts, in order.
    pub(crate) texts: Vec<Text<'a>>,
    /// Whether the message contains images.
    pub(crate) has_images: bool,
    /// The tool results in the message.
    pub(crate) results: Vec<ToolResult<'a>>,
    /// Whether the draft is the content of a tool result instead of a message.
    pub(crate) is_tool_result: bool,
    /// The author; [`Author::User`] by default.
    pub(crate) author: Author,
    /// Whether the message contains a tool call. Only set for Gemini.
    pub(crate) has_tool_call: bool,
}

/// The author of a message in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Author {
    /// The user, or a tool.
    #[default]
    User,
    /// The model.
    Model,
    /// The system: the client's instructions.
    System,
}

impl<'a> MessageDraft<'a> {
    /// Returns the texts of the message that may contain the client's working directory, because the client may have
    /// added them.
    pub(crate) fn directory_candidates(&self) -> impl Iterator<Item = Text<'a>> {
        self.texts.iter().copied().filter(|text| may_name_directory(text.raw))
    }
}

impl<'a> History<'a> {
    /// Records a message of the model. Clears the tool results so far, since the model has received them.
    pub(crate) fn record_assistant_message(&mut self) {
        self.has_begun = true;
        self.results.clear();
    }

    /// Records a message with the role `user`, or a tool result: separates the texts that the user typed from those
    /// that the client injected, and updates whether the conversation continues a turn. `index` is the position of the
    /// message in the conversation.
    pub(crate) fn record_user_message(&mut self, index: usize, draft: &MessageDraft<'a>) {
        self.has_begun = true;
        let messages_before = self.messages.len();
        let mut typed_text = TypedText::default();
        // Texts beside a tool result are the client's own, unless the user interrupted the turn.
        let mut is_from_user = draft.results.is_empty();
        let mut is_notification = false;
        for text in &draft.texts {
            let decoded_text = text.decoded();
            match user_text::classify(&decoded_text, self.client) {
                UserText::Typed(range) if is_from_user => typed_text.append(text, decoded_text, range),
                UserText::Command(command) if is_from_user => typed_text.command = Some(command),
                UserText::Interruption => {
                    self.push(index, typed_text.take(draft.has_images));
                    is_from_user = true;
                }
                UserText::CommandOutput => typed_text.command = None,
                UserText::Notification => is_notification = true,
                UserText::ExampleEnd => {
                    self.messages.clear();
                    self.last_user = None;
                }
                UserText::Typed(_) | UserText::Command(_) | UserText::Injected => {}
            }
        }
        self.push(index, typed_text.take(draft.has_images));
        self.results.extend(draft.results.iter().cloned());
        if self.messages.len() > messages_before {
            self.continues_turn = false;
        } else if is_notification || !draft.results.is_empty() {
            self.continues_turn = true;
        } else if draft.has_images {
            // A message that consists of images only.
            self.push(index, Some(UserMessage { text: Cow::Borrowed(""), span: None, has_images: true }));
            self.continues_turn = false;
        } else if let Some(text) = draft.texts.last() {
            let message = UserMessage { text: text.decoded(), span: Some(text.start..text.end()), has_images: false };
            self.fallback = Some((index, message));
        }
    }

    /// Adds a message of the user, at `index` of the conversation; does nothing if `message` is `None`.
    fn push(&mut self, index: usize, message: Option<UserMessage<'a>>) {
        if let Some(message) = message {
            self.messages.push(message);
            self.last_user = Some(index);
        }
    }

    /// Adds the last message with only injected texts, if the user typed no message.
    pub(crate) fn use_fallback(&mut self) {
        if self.messages.is_empty()
            && let Some((index, message)) = self.fallback.take()
        {
            self.push(index, Some(message));
        }
    }
}

/// The texts of one message that the user typed, joined with line feeds.
#[derive(Default)]
struct TypedText<'a> {
    /// The text so far, and its byte range in the body; see [`UserMessage::span`].
    message: Option<(Cow<'a, str>, Range<usize>)>,
    /// A command such as `/review`. The text after it is the prompt that it expands to, unless the output of the
    /// command follows.
    command: Option<String>,
}

impl<'a> TypedText<'a> {
    /// Appends a part of a text to the typed message: the byte range `typed` of `decoded`, which is the decoded `text`.
    /// Does nothing after a command.
    fn append(&mut self, text: &Text<'a>, decoded: Cow<'a, str>, typed: Range<usize>) {
        if self.command.is_some() {
            return;
        }
        let start = typed.start;
        let typed_text = match decoded {
            Cow::Borrowed(text) => Cow::Borrowed(text.get(typed).unwrap_or_default()),
            Cow::Owned(text) if typed == (0..text.len()) => Cow::Owned(text),
            Cow::Owned(text) => Cow::Owned(text.get(typed).unwrap_or_default().to_owned()),
        };
        if let Some((message, _)) = &mut self.message {
            let message = message.to_mut();
            message.push('\n');
            message.push_str(&typed_text);
        } else {
            let skipped_bytes = text.raw_prefix_length(start).unwrap_or_default();
            self.message = Some((typed_text, text.start + skipped_bytes..text.end()));
        }
    }

    /// Removes the command, or else the typed text so far, and returns it as a message of the user; `None` if there is
    /// neither.
    fn take(&mut self, has_images: bool) -> Option<UserMessage<'a>> {
        if let Some(command) = self.command.take() {
            self.message = None;
            return Some(UserMessage { text: Cow::Owned(command), span: None, has_images });
        }
        let (text, span) = self.message.take()?;
        Some(UserMessage { text, span: Some(span), has_images })
    }
}
