//! Layout of a line of the log. Fields that are not listed are skipped.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::session_file::{Parts, Text};

/// Fields of a line of the log, and of the objects `metadata`, `request`, `response` and `body` in it. Each field may
/// be in any of them; missing fields are `None` or empty.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Line<'a> {
    /// The request, unparsed.
    #[serde(borrow)]
    pub(super) request: Option<&'a RawValue>,
    /// The response, unparsed.
    #[serde(borrow)]
    pub(super) response: Option<&'a RawValue>,
    /// The body of a request or response object, unparsed.
    #[serde(borrow)]
    pub(super) body: Option<&'a RawValue>,
    /// Metadata of the line or the request, unparsed.
    #[serde(borrow)]
    pub(super) metadata: Option<&'a RawValue>,

    /// Start of the call, as RFC 3339 or a number of seconds or milliseconds since 1970, like all times below.
    #[serde(borrow)]
    pub(super) started_at: Option<&'a RawValue>,
    /// Start of the call, if `started_at` is missing.
    #[serde(borrow)]
    pub(super) start_time: Option<&'a RawValue>,
    /// Start of the call, if the fields above are missing.
    #[serde(borrow)]
    pub(super) request_time: Option<&'a RawValue>,
    /// End of the call.
    #[serde(borrow)]
    pub(super) ended_at: Option<&'a RawValue>,
    /// End of the call, if `ended_at` is missing.
    #[serde(borrow)]
    pub(super) end_time: Option<&'a RawValue>,
    /// End of the call, if the fields above are missing.
    #[serde(borrow)]
    pub(super) response_time: Option<&'a RawValue>,
    /// End of the call, if the fields above are missing.
    #[serde(borrow)]
    pub(super) timestamp: Option<&'a RawValue>,
    /// End of the call, if the fields above are missing.
    #[serde(borrow)]
    pub(super) time: Option<&'a RawValue>,
    /// End of the call, if the fields above are missing.
    #[serde(borrow)]
    pub(super) created_at: Option<&'a RawValue>,
    /// Time at which the provider created the response; used if no other time is recorded.
    #[serde(borrow)]
    pub(super) created: Option<&'a RawValue>,

    /// Session id.
    #[serde(borrow)]
    pub(super) session: Text<'a>,
    /// Session id, if `session` is missing.
    #[serde(borrow)]
    pub(super) session_id: Text<'a>,
    /// Session id, if the fields above are missing.
    #[serde(borrow)]
    pub(super) conversation_id: Text<'a>,
    /// Session id, if the fields above are missing.
    #[serde(borrow)]
    pub(super) thread_id: Text<'a>,
    /// End user, which distinguishes sessions without an id.
    #[serde(borrow)]
    pub(super) user: Text<'a>,
    /// Path of the workspace.
    #[serde(borrow)]
    pub(super) workspace: Text<'a>,
    /// Path of the workspace, if `workspace` is missing.
    #[serde(borrow)]
    pub(super) cwd: Text<'a>,
    /// Provider of the model.
    #[serde(borrow)]
    pub(super) provider: Text<'a>,

    /// Name of the model.
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    /// Messages of a request to chat completions; `None` in other lines.
    #[serde(borrow)]
    pub(super) messages: Option<Vec<Message<'a>>>,
    /// Input of a request to another interface, which is not supported.
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    /// Tool definitions of a request, unparsed.
    #[serde(borrow)]
    pub(super) tools: Option<Vec<&'a RawValue>>,

    /// The provider's id of the response.
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    /// Alternatives in a response.
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    /// Usage object of a response, unparsed.
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    /// HTTP status code of the response.
    pub(super) status_code: Option<u16>,
    /// Error of a failed call, unparsed; `null` means none.
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

/// One of the alternative responses to a request. Only the first is used.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Choice<'a> {
    /// Reason why the response ended, such as `stop` or `tool_calls`.
    #[serde(borrow)]
    pub(super) finish_reason: Text<'a>,
    /// The message of the model in this alternative.
    #[serde(borrow)]
    pub(super) message: Message<'a>,
}

/// A message of any role, in a logged request or response.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Message<'a> {
    /// `system`, `user`, `assistant` or `tool`.
    #[serde(borrow)]
    pub(super) role: Text<'a>,
    /// Texts and images of the message.
    #[serde(borrow)]
    pub(super) content: Parts<'a>,
    /// Id of the tool call that a message of the role `tool` is the result of.
    #[serde(borrow)]
    pub(super) tool_call_id: Text<'a>,
    /// Tool calls in a message of the role `assistant`; `None` without any.
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<ToolCall<'a>>>,
}

/// A tool call in a logged message of the role `assistant`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ToolCall<'a> {
    /// The provider's id of the tool call.
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    /// The called function.
    #[serde(borrow)]
    pub(super) function: Function<'a>,
}

/// Name and arguments of a logged tool call.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Function<'a> {
    /// Name of the tool.
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    /// Arguments as JSON.
    #[serde(borrow)]
    pub(super) arguments: Text<'a>,
}
