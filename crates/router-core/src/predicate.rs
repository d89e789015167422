//! Conditions of rules (004 §5.3). The set is closed, and every condition has a value for every turn.

use contracts::{AuxiliaryCall, ClientRequest, ModelId, NanoUsd, Period, SpentLimit, Tokenizer, Turn};

use crate::{
    text_set::{Matches, Pattern, TextSet},
    time_window::TimeWindow,
};

/// A condition of a rule. Parsed from the policy's `when` and evaluated for each turn; evaluation cannot fail.
#[derive(Debug, PartialEq)]
pub(crate) enum Predicate {
    /// Index of a pattern in the policy's [`TextSet`].
    Text(u16),
    TokensAbove(u64),
    TokensBelow(u64),
    HasImages(bool),
    HasToolCalls(bool),
    Skills(Vec<String>),
    Extensions(Vec<String>),
    Workspace(Pattern),
    TimeOfDay(TimeWindow),
    SpentMoreThan(SpentLimit),
    /// Client names; compared without case.
    Client(Vec<String>),
    /// Model names and ids; compared without case.
    ClientModel(Vec<String>),
    Subagent(bool),
    AuxiliaryCall(Vec<AuxiliaryCall>),
    WebSearch(bool),
    Thinking(bool),
    Any(Vec<Predicate>),
    /// True if all parts are; without parts always true.
    All(Vec<Predicate>),
    Not(Box<Predicate>),
}

/// What conditions are evaluated against: the turn, and the results of the text search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Situation<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) matches: &'a Matches,
    /// Tokenizer of the model that the rule proposes, by which token limits count (decision D10).
    pub(crate) tokenizer: Tokenizer,
}

impl Predicate {
    pub(crate) fn holds(&self, situation: Situation<'_>) -> bool {
        let turn = situation.turn;
        match self {
            Self::Text(number) => situation.matches.contains(*number),
            Self::TokensAbove(tokens) => *tokens < turn.tokens.of(situation.tokenizer),
            Self::TokensBelow(tokens) => turn.tokens.of(situation.tokenizer) < *tokens,
            Self::HasImages(wanted) => turn.message_has_images == *wanted,
            Self::HasToolCalls(wanted) => turn.tool_calls_in_history == *wanted,
            Self::Skills(names) => names.iter().any(|name| turn.skills.contains(name)),
            Self::Extensions(names) => names.iter().any(|name| turn.extensions.contains(name)),
            Self::Workspace(pattern) => turn.workspace.as_deref().is_some_and(|path| pattern.is_match(path)),
            Self::TimeOfDay(window) => window.contains(turn.at.local_minute_of_day(turn.offset_minutes)),
            Self::SpentMoreThan(limit) => limit.amount < spent_in(limit.period, turn),
            Self::Client(names) => client_request(turn)
                .and_then(|request| request.client.as_ref())
                .is_some_and(|client| names.iter().any(|name| name.eq_ignore_ascii_case(client))),
            Self::ClientModel(names) => client_request(turn).is_some_and(|request| requests_any_model(request, names)),
            Self::Subagent(wanted) => client_request(turn).is_some_and(|request| request.subagent) == *wanted,
            Self::AuxiliaryCall(kinds) => {
                client_request(turn).and_then(|request| request.auxiliary).is_some_and(|kind| kinds.contains(&kind))
            }
            Self::WebSearch(wanted) => client_request(turn).is_some_and(|request| request.web_search) == *wanted,
            Self::Thinking(wanted) => client_request(turn).is_some_and(ClientRequest::requests_thinking) == *wanted,
            Self::Any(parts) => parts.iter().any(|part| part.holds(situation)),
            Self::All(parts) => parts.iter().all(|part| part.holds(situation)),
            Self::Not(part) => !part.holds(situation),
        }
    }

    /// Returns an amount that was exceeded and made this condition hold: the first one in the order of the file. Amounts
    /// under `not` do not count.
    pub(crate) fn exceeded_budget(&self, situation: Situation<'_>) -> Option<SpentLimit> {
        match self {
            Self::SpentMoreThan(limit) if self.holds(situation) => Some(*limit),
            Self::Any(parts) | Self::All(parts) => {
                parts.iter().filter(|part| part.holds(situation)).find_map(|part| part.exceeded_budget(situation))
            }
            _ => None,
        }
    }

    /// Returns every daily budget in this condition.
    pub(crate) fn budgets(&self) -> Vec<NanoUsd> {
        match self {
            Self::SpentMoreThan(limit) if limit.period == Period::Day => vec![limit.amount],
            Self::Any(parts) | Self::All(parts) => parts.iter().flat_map(Self::budgets).collect(),
            Self::Not(part) => part.budgets(),
            _ => Vec::new(),
        }
    }

    /// Returns the index of a text pattern that must match for this condition to hold; `None` if none is
    /// known.
    pub(crate) fn required_text(&self) -> Option<u16> {
        match self {
            Self::Text(number) => Some(*number),
            Self::All(parts) => parts.iter().find_map(Self::required_text),
            _ => None,
        }
    }

    /// Returns whether a part of this condition, also under `not`, is one for which `is_part` returns true.
    fn has_part(&self, is_part: &impl Fn(&Self) -> bool) -> bool {
        is_part(self)
            || match self {
                Self::Any(parts) | Self::All(parts) => parts.iter().any(|part| part.has_part(is_part)),
                Self::Not(part) => part.has_part(is_part),
                _ => false,
            }
    }

    /// Returns whether this condition reads the text of the message without naming kinds of auxiliary calls. The text of
    /// an auxiliary call is the client's, although it quotes the user's.
    pub(crate) fn is_about_users_text(&self) -> bool {
        let reads_text = self.has_part(&|part| matches!(part, Self::Text(_)));
        reads_text && !self.has_part(&|part| matches!(part, Self::AuxiliaryCall(_)))
    }

    /// Returns whether this condition holds for every turn. May return `false` for one that does.
    pub(crate) fn always_holds(&self) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(Self::always_holds),
            Self::Any(parts) => parts.iter().any(Self::always_holds),
            _ => false,
        }
    }

    /// Formats the condition as one line, for explanations.
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
            Self::Extensions(names) => format!("files touched with extension {}", names.join(", ")),
            Self::Workspace(pattern) => format!("workspace matches /{}/", pattern.text()),
            Self::TimeOfDay(window) => format!("local time {window}"),
            Self::SpentMoreThan(SpentLimit { amount, period }) => {
                format!("more than {} spent {}", amount.exact(), period_text(*period))
            }
            Self::Client(names) => format!("client is {}", names.join(", ")),
            Self::ClientModel(names) => format!("client asks for {}", names.join(", ")),
            Self::Subagent(true) => "a sub-agent asks".to_owned(),
            Self::Subagent(false) => "no sub-agent asks".to_owned(),
            Self::AuxiliaryCall(kinds) => {
                let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
                format!("beside the conversation: {}", names.join(", "))
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

/// Returns the amount that was spent in a period when the turn started, over all sessions or in its session.
pub(crate) const fn spent_in(period: Period, turn: &Turn) -> NanoUsd {
    match period {
        Period::Day => turn.spent_today,
        Period::Week => turn.spending.week,
        Period::Month => turn.spending.month,
        Period::Session => turn.spending.session,
    }
}

/// Formats the current period: `today`, `this week`.
pub(crate) const fn period_text(period: Period) -> &'static str {
    match period {
        Period::Day => "today",
        Period::Week => "this week",
        Period::Month => "this month",
        Period::Session => "in this session",
    }
}

/// Returns the request of the turn's client; `None` if the turn did not come in over a wire API.
const fn client_request(turn: &Turn) -> Option<&ClientRequest> {
    turn.request.as_ref()
}

/// Returns whether the client's requested model is one of `names`, either as the client wrote it or by its id.
fn requests_any_model(request: &ClientRequest, names: &[String]) -> bool {
    let named = request.named.as_ref().map(ModelId::as_str);
    let is_requested = |name: &String| {
        name.eq_ignore_ascii_case(&request.model) || named.is_some_and(|id| name.eq_ignore_ascii_case(id))
    };
    names.iter().any(is_requested)
}
