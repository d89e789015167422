//! Conditions of rules (004 §5.3). The set of predicates is closed, and each has a value for every turn.

use contracts::{AuxiliaryCall, ClientRequest, ModelId, NanoUsd, Period, SpentLimit, Tokenizer, Turn};

use crate::{
    text_set::{Matches, Pattern, TextSet},
    time_window::TimeWindow,
};

/// A condition of a rule, parsed from `when` in a policy file and evaluated for each turn. Evaluation cannot fail.
#[derive(Debug, PartialEq)]
pub(crate) enum Predicate {
    /// The message matches the text predicate with this number in the policy's [`TextSet`].
    Text(u16),
    /// The estimated prompt has more tokens.
    TokensAbove(u64),
    /// The estimated prompt has fewer tokens.
    TokensBelow(u64),
    /// Whether the message has images.
    HasImages(bool),
    /// Whether a tool was called earlier in the session.
    HasToolCalls(bool),
    /// One of these skills matches the message.
    Skills(Vec<String>),
    /// The skill decision about the message loads one of these skills.
    SelectedSkill(Vec<String>),
    /// A tool used a file with one of these extensions in the session.
    Extensions(Vec<String>),
    /// The path of the workspace matches this pattern.
    Workspace(Pattern),
    /// The local time is in this window.
    TimeOfDay(TimeWindow),
    /// More than this amount was spent in the period.
    SpentMoreThan(SpentLimit),
    /// The turn is from one of these clients; names are compared without case.
    Client(Vec<String>),
    /// The client requests one of these models, by name or id; compared without case.
    ClientModel(Vec<String>),
    /// Whether a sub-agent sent the request.
    Subagent(bool),
    /// The request is an auxiliary call of one of these kinds.
    AuxiliaryCall(Vec<AuxiliaryCall>),
    /// Whether the client offers a web search that the provider runs.
    WebSearch(bool),
    /// Whether the client requests thinking.
    Thinking(bool),
    /// At least one of these conditions holds.
    Any(Vec<Predicate>),
    /// All of these conditions hold; always true if there are none.
    All(Vec<Predicate>),
    /// The condition does not hold.
    Not(Box<Predicate>),
}

/// The data against which the conditions of rules are evaluated: the turn, and the result of the text search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConditionInput<'a> {
    /// The turn to decide.
    pub(crate) turn: &'a Turn<'a>,
    /// The text predicates that match the message.
    pub(crate) matches: &'a Matches,
    /// The tokenizer of the model that the rule proposes, which determines the number of tokens (decision D10).
    pub(crate) tokenizer: Tokenizer,
}

impl Predicate {
    /// Returns whether the condition holds for the turn in `input`.
    pub(crate) fn holds(&self, input: ConditionInput<'_>) -> bool {
        let turn = input.turn;
        match self {
            Self::Text(number) => input.matches.contains(*number),
            Self::TokensAbove(tokens) => *tokens < turn.started.tokens.for_tokenizer(input.tokenizer),
            Self::TokensBelow(tokens) => turn.started.tokens.for_tokenizer(input.tokenizer) < *tokens,
            Self::HasImages(expected) => turn.started.message_has_images == *expected,
            Self::HasToolCalls(expected) => turn.started.tool_calls_in_history == *expected,
            Self::Skills(names) => names.iter().any(|name| turn.started.skills.contains(name)),
            Self::SelectedSkill(names) => names.iter().any(|name| turn.skills.contains(name)),
            Self::Extensions(names) => names.iter().any(|name| turn.started.extensions.contains(name)),
            Self::Workspace(pattern) => turn.started.workspace.as_deref().is_some_and(|path| pattern.is_match(path)),
            Self::TimeOfDay(window) => window.contains(turn.at.local_minute_of_day(turn.started.offset_minutes)),
            Self::SpentMoreThan(limit) => limit.amount < spent_in(limit.period, turn),
            Self::Client(names) => client_request(turn)
                .and_then(|request| request.client.as_ref())
                .is_some_and(|client| names.iter().any(|name| name.eq_ignore_ascii_case(client))),
            Self::ClientModel(names) => client_request(turn).is_some_and(|request| requests_any_model(request, names)),
            Self::Subagent(expected) => client_request(turn).is_some_and(|request| request.subagent) == *expected,
            Self::AuxiliaryCall(kinds) => {
                client_request(turn).and_then(|request| request.auxiliary).is_some_and(|kind| kinds.contains(&kind))
            }
            Self::WebSearch(expected) => client_request(turn).is_some_and(|request| request.web_search) == *expected,
            Self::Thinking(expected) => client_request(turn).is_some_and(ClientRequest::requests_thinking) == *expected,
            Self::Any(parts) => parts.iter().any(|part| part.holds(input)),
            Self::All(parts) => parts.iter().all(|part| part.holds(input)),
            Self::Not(part) => !part.holds(input),
        }
    }

    /// Returns the exceeded amount that made this condition hold: the first in the order of the file. `None` if no
    /// amount did; amounts under `not` are ignored.
    pub(crate) fn exceeded_budget(&self, input: ConditionInput<'_>) -> Option<SpentLimit> {
        match self {
            Self::SpentMoreThan(limit) if self.holds(input) => Some(*limit),
            Self::Any(parts) | Self::All(parts) => {
                parts.iter().filter(|part| part.holds(input)).find_map(|part| part.exceeded_budget(input))
            }
            _ => None,
        }
    }

    /// Returns every daily amount in this condition, also under `not`.
    pub(crate) fn budgets(&self) -> Vec<NanoUsd> {
        match self {
            Self::SpentMoreThan(limit) if limit.period == Period::Day => vec![limit.amount],
            Self::Any(parts) | Self::All(parts) => parts.iter().flat_map(Self::budgets).collect(),
            Self::Not(part) => part.budgets(),
            _ => Vec::new(),
        }
    }

    /// Returns the number of a text predicate without which this condition cannot hold; `None` if no such predicate is
    /// known.
    pub(crate) fn required_text(&self) -> Option<u16> {
        match self {
            Self::Text(number) => Some(*number),
            Self::All(parts) => parts.iter().find_map(Self::required_text),
            _ => None,
        }
    }

    /// Returns whether `is_part` returns `true` for this condition or for any condition in it, also under `not`.
    fn has_part(&self, is_part: &impl Fn(&Self) -> bool) -> bool {
        is_part(self)
            || match self {
                Self::Any(parts) | Self::All(parts) => parts.iter().any(|part| part.has_part(is_part)),
                Self::Not(part) => part.has_part(is_part),
                _ => false,
            }
    }

    /// Returns whether this condition depends on the skills that the message loads.
    pub(crate) fn reads_selected_skills(&self) -> bool {
        self.has_part(&|part| matches!(part, Self::SelectedSkill(_)))
    }

    /// Returns whether this condition depends on the text of the message and does not name kinds of auxiliary calls.
    /// The text of an auxiliary call is the client's, although it quotes the user's.
    pub(crate) fn is_about_users_text(&self) -> bool {
        let reads_text = self.has_part(&|part| matches!(part, Self::Text(_)));
        reads_text && !self.has_part(&|part| matches!(part, Self::AuxiliaryCall(_)))
    }

    /// Returns whether this condition is known to hold for every turn. May return `false` for a condition that does.
    pub(crate) fn always_holds(&self) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(Self::always_holds),
            Self::Any(parts) => parts.iter().any(Self::always_holds),
            _ => false,
        }
    }

    /// Formats the condition as one line of text. `texts` has the text predicates of the policy.
    pub(crate) fn describe(&self, texts: &TextSet) -> String {
        let join = |parts: &[Self], word: &str| {
            let parts: Vec<_> = parts
                .iter()
                .map(|part| match part {
                    Self::Any(inner) | Self::All(inner) if 1 < inner.len() => format!("({})", part.describe(texts)),
                    _ => part.describe(texts),
                })
                .collect();
            parts.join(word)
        };
        match self {
            Self::Text(number) => texts.describe(*number),
            Self::TokensAbove(tokens) => format!("more than {tokens} tokens"),
            Self::TokensBelow(tokens) => format!("fewer than {tokens} tokens"),
            Self::HasImages(true) => "images in the message".to_owned(),
            Self::HasImages(false) => "no images in the message".to_owned(),
            Self::HasToolCalls(true) => "tool calls in the history".to_owned(),
            Self::HasToolCalls(false) => "no tool calls in the history".to_owned(),
            Self::Skills(names) => format!("message matches a skill of {}", names.join(", ")),
            Self::SelectedSkill(names) => format!("a skill of {} is selected", names.join(", ")),
            Self::Extensions(names) => format!("files touched with extension {}", names.join(", ")),
            Self::Workspace(pattern) => format!("workspace matches /{}/", pattern.text()),
            Self::TimeOfDay(window) => format!("local time {window}"),
            Self::SpentMoreThan(SpentLimit { amount, period }) => {
                format!("more than {} spent {}", amount.exact(), period_text(*period))
            }
            Self::Client(names) => format!("client is {}", names.join(", ")),
            Self::ClientModel(names) => format!("client requests {}", names.join(", ")),
            Self::Subagent(true) => "from a sub-agent".to_owned(),
            Self::Subagent(false) => "not from a sub-agent".to_owned(),
            Self::AuxiliaryCall(kinds) => {
                let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
                format!("auxiliary call: {}", names.join(", "))
            }
            Self::WebSearch(true) => "web search offered".to_owned(),
            Self::WebSearch(false) => "no web search offered".to_owned(),
            Self::Thinking(true) => "thinking requested".to_owned(),
            Self::Thinking(false) => "no thinking requested".to_owned(),
            Self::Any(parts) => join(parts, " or "),
            Self::All(parts) if parts.is_empty() => "always".to_owned(),
            Self::All(parts) => join(parts, " and "),
            Self::Not(part) => format!("not ({})", part.describe(texts)),
        }
    }
}

/// Returns the amount that was spent in a period when the turn started: over all sessions, or in the session of the
/// turn.
pub(crate) const fn spent_in(period: Period, turn: &Turn<'_>) -> NanoUsd {
    match period {
        Period::Day => turn.started.spent_today,
        Period::Week => turn.started.spending.week,
        Period::Month => turn.started.spending.month,
        Period::Session => turn.started.spending.session,
    }
}

/// Formats the current period: `today`, `this week`, `this month`, `in this session`.
pub(crate) const fn period_text(period: Period) -> &'static str {
    match period {
        Period::Day => "today",
        Period::Week => "this week",
        Period::Month => "this month",
        Period::Session => "in this session",
    }
}

/// Returns the request of the turn's client; `None` if the turn did not arrive over a wire API.
const fn client_request<'a>(turn: &Turn<'a>) -> Option<&'a ClientRequest> {
    turn.request
}

/// Returns whether the client requests one of the models in `names`, either by the name that the client wrote or by the
/// id of the model.
fn requests_any_model(request: &ClientRequest, names: &[String]) -> bool {
    let model_id = request.named.as_ref().map(ModelId::as_str);
    let is_requested = |name: &String| {
        name.eq_ignore_ascii_case(&request.model) || model_id.is_some_and(|id| name.eq_ignore_ascii_case(id))
    };
    names.iter().any(is_requested)
}
