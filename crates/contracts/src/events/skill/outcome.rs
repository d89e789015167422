//! Events that follow a skill decision: skills that were loaded, deferred or activated, questions and corrections.

use event_core::EventId;
use serde::{Deserialize, Serialize};

use crate::{
    SessionId, Thread, TurnId,
    events::{event, sample},
};

/// Event: an agent loaded a skill. It is the actual outcome, with which the decision is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillLoaded {
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// Thread of the turn.
    pub thread: Thread,
    /// Name of the skill as the agent used it.
    pub skill: String,
    /// Id of the tool call, as in `tool.called`; `None` if a slash command of the user loaded the skill.
    pub call: Option<String>,
}

event!(
    SkillLoaded,
    "skill.loaded",
    1,
    Internal,
    "An agent loaded a skill.",
    SkillLoaded {
        turn: sample::turn(),
        session: sample::session(),
        thread: Thread::Main,
        skill: "commit".to_owned(),
        call: Some("toolu_02".to_owned()),
    }
);

/// Event: a decision loads no skill at first, and names one that is loaded if the task fails in its domain (003 Deferred).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillDeferred {
    /// Id of the `skill.routed` event.
    pub decision: EventId,
    /// Session of the decision.
    pub session: SessionId,
    /// Id of the turn; `None` for the decision of a hook.
    pub turn: Option<TurnId>,
    /// The skill.
    pub skill: String,
}

event!(
    SkillDeferred,
    "skill.deferred",
    1,
    Internal,
    "A decision left a skill for later: it is loaded if the task fails in its domain.",
    SkillDeferred {
        decision: EventId([0x66; 16]),
        session: sample::session(),
        turn: Some(sample::turn()),
        skill: "database".to_owned(),
    }
);

/// Event: a tool call failed in the domain of a skill after a decision had deferred one, so the skill is due for one retry
/// (003 Deferred Activation). At most one such event follows a `skill.deferred`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillActivated {
    /// Id of the `skill.routed` event that deferred a skill.
    pub decision: EventId,
    /// Id of the turn.
    pub turn: TurnId,
    /// Session of the turn.
    pub session: SessionId,
    /// The skill of the failure's domain, which can differ from the deferred one.
    pub skill: String,
    /// Id of the tool call that failed, as in `tool.called`.
    pub call: String,
}

event!(
    SkillActivated,
    "skill.activated",
    1,
    Internal,
    "A tool call failed in the domain of a skill, which is due after a deferral.",
    SkillActivated {
        decision: EventId([0x66; 16]),
        turn: sample::turn(),
        session: sample::session(),
        skill: "database".to_owned(),
        call: "toolu_03".to_owned(),
    }
);

/// Event: a decision ended in a question to the user. `skill.routed` states how the decision is used, and with it whether a
/// client could ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillClarificationRequested {
    /// Id of the `skill.routed` event.
    pub decision: EventId,
    /// Session of the decision.
    pub session: SessionId,
    /// Id of the turn; `None` for the decision of a hook.
    pub turn: Option<TurnId>,
    /// Skills to choose from, the most likely one first.
    pub skills: Vec<String>,
}

event!(
    SkillClarificationRequested,
    "skill.clarification_requested",
    1,
    Internal,
    "No layer could decide which skill to load, and the decision is a question to the user.",
    SkillClarificationRequested {
        decision: EventId([0x66; 16]),
        session: sample::session(),
        turn: Some(sample::turn()),
        skills: vec!["problem-solving".to_owned(), "nasa-se".to_owned()],
    }
);

/// Event: the user stated which skill a decision should have loaded. The last correction of a decision counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillCorrected {
    /// Id of the `skill.routed` event.
    pub decision: EventId,
    /// Session of the decision.
    pub session: SessionId,
    /// Id of the turn; `None` for the decision of a hook.
    pub turn: Option<TurnId>,
    /// The skill that would have been right; `None` if no skill should have been loaded.
    pub skill: Option<String>,
}

event!(
    SkillCorrected,
    "skill.corrected",
    1,
    Internal,
    "The user said which skill a decision should have loaded.",
    SkillCorrected {
        decision: EventId([0x66; 16]),
        session: sample::session(),
        turn: Some(sample::turn()),
        skill: Some("nasa-se".to_owned()),
    }
);
