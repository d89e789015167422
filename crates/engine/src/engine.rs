//! The engine: owns the policy file, the models, the log and the state that is folded from it, and records their
//! changes as events: policies and models, verdicts on turns, and outages.

use std::{path::PathBuf, sync::Arc};

use contracts::{
    ContentHash,
    events::{LogCommandPanicked, PolicyInvalid, PolicyLoaded},
};
use evaluator::{DueVerdict, Rubric};
use event_bus::{Clock, EventLog, TextStore};
use event_core::{EventId, EventType, NewEvent, Position, Timestamp};
use router_core::Problem;

use crate::{
    capture::MAX_PATH_BYTES,
    error::EngineError,
    home::Home,
    live::TurnCounts,
    mention::Mention,
    models::Models,
    policy_file::{ActivePolicy, LostRules, PolicyFile, PolicyFileProblems, Refresh},
    recorder::Recorder,
    router_state::RouterState,
    skill_routing::SkillRouting,
};

/// The log, the text store and the clock that an engine works on; tests replace them.
pub struct Stores {
    /// The log that the engine folds at its start and appends to.
    pub log: Arc<dyn EventLog>,
    /// The store for texts that are too long for an event.
    pub texts: Arc<dyn TextStore>,
    /// The clock for the times of events.
    pub clock: Box<dyn Clock>,
    /// Returns the offset of the user's time zone from UTC at a time, in minutes.
    pub offset: fn(Timestamp) -> i16,
}

impl std::fmt::Debug for Stores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stores").finish_non_exhaustive()
    }
}

/// The engine: owns the policy file, the models, the log and the state folded from it. Front ends route turns through
/// it. While a program runs, a bus owns the engine.
pub struct Engine {
    /// Appends events to the log and folds them into the state.
    pub(crate) recorder: Recorder,
    /// The store for texts that are too long for an event.
    pub(crate) texts: Arc<dyn TextStore>,
    /// The policy file, and the active policy: the last valid one.
    pub(crate) policy: PolicyFile,
    /// The active models.
    pub(crate) models: Models,
    /// Returns the offset of the user's time zone from UTC at a time, in minutes.
    pub(crate) offset: fn(Timestamp) -> i16,
    /// The hashes of the policy and the models that this engine recorded last, or found recorded; `None` until the
    /// first call of `record_configuration`.
    recorded_configuration: Option<(ContentHash, ContentHash)>,
    /// The position of the last event that the verdicts in the log take into account.
    evaluated_until: Position,
    /// The number of turns of each message.
    pub(crate) turn_counts: TurnCounts,
    /// The settings of skill routing and the skills of workspaces.
    pub(crate) skill_routing: SkillRouting,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("recorder", &self.recorder).finish_non_exhaustive()
    }
}

impl Engine {
    /// Opens an engine: loads the user's models and policy, and folds the log. Records nothing. If the policy file is
    /// invalid, the last valid policy in the log is active; see [`Engine::startup_policy_problems`].
    ///
    /// # Errors
    /// [`EngineError`] if the models are invalid, if the policy is invalid and the log has no valid one, or if a file
    /// or the log cannot be read.
    pub fn open(home: &Home, stores: Stores) -> Result<Self, EngineError> {
        let models = Models::load(&home.models())?;
        Self::with_models(home, models, stores)
    }

    /// Opens an engine with the given models instead of those in the user's files.
    ///
    /// # Errors
    /// Those of [`Engine::open`].
    pub fn with_models(home: &Home, models: Models, stores: Stores) -> Result<Self, EngineError> {
        let Stores { log, texts, clock, offset } = stores;
        let recorder = Recorder::open(log, clock)?;
        // The last valid policy is that of the last `policy.loaded`.
        let last_valid = || texts.get(recorder.state().active.policy?.0).ok().flatten();
        let registry = Arc::clone(&models.registry);
        let policy = PolicyFile::open_or_last_valid(home.policy.clone(), home.user_text(), registry, last_valid)?;
        let skill_routing = SkillRouting::new(home, policy.active())?;
        Ok(Self {
            recorder,
            texts,
            policy,
            models,
            offset,
            recorded_configuration: None,
            evaluated_until: Position::ORIGIN,
            turn_counts: TurnCounts::default(),
            skill_routing,
        })
    }

    /// Returns the state that is folded from the log.
    pub const fn state(&self) -> &RouterState {
        self.recorder.state()
    }

    /// Returns the log that the engine appends to.
    pub const fn log(&self) -> &Arc<dyn EventLog> {
        self.recorder.log()
    }

    /// Returns the store for texts that are too long for an event.
    pub const fn texts(&self) -> &Arc<dyn TextStore> {
        &self.texts
    }

    /// Returns the path of the policy file.
    pub const fn policy_path(&self) -> &PathBuf {
        self.policy.path()
    }

    /// Returns the home folder that `~` in a policy is expanded to. `None` if it is unknown: such paths are then errors
    /// of the policy.
    pub fn policy_home(&self) -> Option<&str> {
        self.policy.home()
    }

    /// Returns the active policy.
    pub const fn policy(&self) -> &ActivePolicy {
        self.policy.active()
    }

    /// Returns the active models.
    pub const fn models(&self) -> &Models {
        &self.models
    }

    /// Replaces the list of models, in which `configured` marks those that can be called, and loads the active policy
    /// with it. The next decision records it. Does nothing if the list is equal to the present one.
    ///
    /// # Errors
    /// [`EngineError::Policy`] if the policy names a model that the list lacks; the present list stays in use.
    pub fn set_models(&mut self, models: Models) -> Result<(), EngineError> {
        if models.hash == self.models.hash {
            return Ok(());
        }
        self.policy.set_registry(Arc::clone(&models.registry))?;
        self.models = models;
        Ok(())
    }

    /// Returns the part of a live message that the policy matches: all but the `@` mention of a model.
    pub fn text_to_match<'a>(&self, message: &'a str) -> &'a str {
        Mention::resolve_accepted(message, &self.models.registry).strip_from(message)
    }

    /// Returns the position of the last recorded event. The event is durable after the next [`Engine::commit`].
    pub fn position(&self) -> Position {
        self.recorder.position()
    }

    /// Returns the present time of the engine's clock.
    pub fn now(&self) -> Timestamp {
        self.recorder.now()
    }

    /// Returns whether the engine has seen the present text of the policy file. It has not, if another program has just
    /// written it.
    pub fn has_seen_policy_file(&self) -> bool {
        self.policy.is_seen()
    }

    /// Returns the number of rules before and after the last change of the policy; `None` if at least half remained.
    pub const fn lost_rules(&self) -> Option<LostRules> {
        self.policy.lost_rules()
    }

    /// Returns the problems of the policy file, while an earlier policy is active instead; empty if the file is active.
    pub fn policy_problems(&self) -> &[Problem] {
        self.policy.problems()
    }

    /// Returns the problems of the policy file that were found when the engine was opened with an earlier policy;
    /// `None` if there were none or they were reported.
    pub fn startup_policy_problems(&self) -> Option<PolicyFileProblems> {
        let problems = self.policy.startup_problems()?.to_vec();
        Some(PolicyFileProblems { path: self.policy.path().display().to_string(), problems })
    }

    /// Reloads the policy file if it has changed, and records the new policy or the problems of an invalid file (004
    /// §4.8). An invalid file is also a warning in the log output, and the last valid policy stays active. Returns the
    /// problems; `None` if the file is unchanged or valid. The events are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn refresh_policy(&mut self) -> Result<Option<PolicyFileProblems>, EngineError> {
        let refresh = self.policy.refresh();
        self.record_refresh(refresh)
    }

    /// Reloads the policy file as [`Engine::refresh_policy`] does, after this program has written it, so that it is
    /// complete.
    ///
    /// # Errors
    /// Those of [`Engine::refresh_policy`].
    pub fn read_saved_policy(&mut self) -> Result<Option<PolicyFileProblems>, EngineError> {
        let refresh = self.policy.refresh_saved();
        self.record_refresh(refresh)
    }

    /// Records the result of reloading the policy file.
    fn record_refresh(&mut self, refresh: Refresh) -> Result<Option<PolicyFileProblems>, EngineError> {
        let problems = match refresh {
            Refresh::Unchanged | Refresh::Loaded => None,
            Refresh::Invalid(problems) => {
                let path = self.policy.path().display().to_string();
                let event = policy_invalid_event(&path, &problems);
                let now = self.recorder.now();
                let position = self.recorder.position().0.to_le_bytes();
                let id = EventId::derive(&[b"routing.policy_invalid", path.as_bytes(), &position]);
                self.recorder.record([NewEvent::new(id, now, policy_correlation(), &event)?])?;
                let first = problems.first().map(ToString::to_string).unwrap_or_default();
                tracing::warn!(
                    file = path,
                    problems = problems.len(),
                    first,
                    "the policy file is invalid; the last valid policy stays active"
                );
                Some(PolicyFileProblems { path, problems })
            }
        };
        self.record_configuration()?;
        Ok(problems)
    }

    /// Restores the state after a command panicked: folds it from the log again, and records the failure with its `cause`.
    pub(crate) fn recover_state(&mut self, cause: &str) -> Result<(), EngineError> {
        self.recorder.recover()?;
        self.recorded_configuration = None;
        self.evaluated_until = Position::ORIGIN;
        self.turn_counts = TurnCounts::default();
        self.skill_routing.forget_recorded();
        let panicked = LogCommandPanicked { message: ContentHash(*blake3::hash(cause.as_bytes()).as_bytes()) };
        let position = self.recorder.position().0.to_le_bytes();
        let id = EventId::derive(&[LogCommandPanicked::KIND.as_bytes(), &position]);
        let correlation = EventId::derive(&[b"log"]);
        self.recorder.record([NewEvent::new(id, self.recorder.now(), correlation, &panicked)?])
    }

    /// Records the active policy and models if the log does not have them as the last ones. Their texts are stored
    /// first, so that every recorded hash has a text. The events are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if an event cannot be encoded or appended to the log.
    pub(crate) fn record_configuration(&mut self) -> Result<(), EngineError> {
        let (policy, models) = (self.policy.active().clone(), self.models.clone());
        self.skill_routing.set_policy(&policy)?;
        let configuration = Some((policy.hash, models.hash));
        if self.recorded_configuration == configuration {
            return Ok(());
        }
        self.texts.put(&policy.text)?;
        self.texts.put(&models.text)?;
        let path = policy.path.chars().take(500).collect();
        let home = self.policy.home().filter(|home| home.len() <= MAX_PATH_BYTES).map(str::to_owned);
        let recorded = &self.recorder.state().active;
        let policy_is_recorded = recorded.policy == Some(policy.hash) && recorded.home == home;
        let models_are_recorded = recorded.catalogue == Some(models.hash);
        let loaded = PolicyLoaded { hash: policy.hash, bytes: policy.text.len() as u64, path, home };
        let catalogue = models.event();
        let now = self.recorder.now();
        let position = self.recorder.position().0.to_le_bytes();
        let id = |kind: &str, hash: &ContentHash| EventId::derive(&[kind.as_bytes(), &hash.0, &position]);
        let events = [
            (!policy_is_recorded)
                .then(|| NewEvent::new(id(PolicyLoaded::KIND, &policy.hash), now, policy_correlation(), &loaded)),
            (!models_are_recorded)
                .then(|| NewEvent::new(id("catalogue.loaded", &models.hash), now, policy_correlation(), &catalogue)),
        ];
        self.recorder.record(events.into_iter().flatten().collect::<Result<Vec<_>, _>>()?)?;
        self.recorded_configuration = configuration;
        Ok(())
    }

    /// Records the events that follow from earlier ones and from the present time: outages that started or ended
    /// (decision D6), and verdicts on turns. They are durable after [`Engine::commit`].
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be written.
    pub fn record_consequences(&mut self) -> Result<(), EngineError> {
        let now = self.recorder.now();
        let transitions = self.recorder.state().availability.transitions(now);
        let events = transitions.iter().map(availability::Transition::seal).collect::<Result<Vec<_>, _>>()?;
        self.recorder.record(events)?;
        self.record_due_verdicts()
    }

    /// Returns whether the verdicts in the log take the last recorded event into account.
    pub(crate) fn is_evaluated(&self) -> bool {
        self.evaluated_until == self.recorder.position()
    }

    /// Records the verdicts on turns that changed through events since the last call, and evictions of patterns above
    /// the size limit. Does nothing if no event was recorded since.
    pub(crate) fn record_due_verdicts(&mut self) -> Result<(), EngineError> {
        if self.is_evaluated() {
            return Ok(());
        }
        let position = self.recorder.position();
        let due = self.recorder.state().evaluator.due_verdicts(&Rubric::built_in(), self.evaluated_until);
        let events = due.into_iter().map(DueVerdict::seal).collect::<Result<Vec<_>, _>>()?;
        self.recorder.record(events)?;
        self.evaluated_until = position;
        self.evict_patterns()
    }

    /// Records evictions of patterns for the workspaces that have more of them than the limit.
    fn evict_patterns(&mut self) -> Result<(), EngineError> {
        let (now, position) = (self.recorder.now(), self.recorder.position());
        let evictions = self.recorder.state().patterns.capacity_events(now);
        let events = evictions.iter().map(|eviction| eviction.seal(now, position)).collect::<Result<Vec<_>, _>>()?;
        self.recorder.record(events)
    }

    /// Makes all recorded events durable, and returns once they are.
    ///
    /// # Errors
    /// [`EngineError`] if the log could not be synchronised with the disk.
    pub fn commit(&mut self) -> Result<(), EngineError> {
        Ok(self.recorder.commit()?)
    }

    /// Commits, and saves a snapshot of the state, so that the next start folds only later events.
    ///
    /// # Errors
    /// [`EngineError`] if the log or the snapshot cannot be written.
    pub fn close(self) -> Result<(), EngineError> {
        Ok(self.recorder.close()?)
    }
}

/// Returns the correlation id that all events about policies and models share.
fn policy_correlation() -> EventId {
    EventId::derive(&[b"policy"])
}

/// Builds the event that records an invalid policy file. It contains the first problems, of at most 2,000 bytes in
/// total, the number of the others, and the first 500 characters of the path.
fn policy_invalid_event(path: &str, problems: &[Problem]) -> PolicyInvalid {
    /// The maximum length of all recorded problems together, in bytes, so that the event stays within its size limit.
    const MAX_ERROR_BYTES: usize = 2_000;
    let mut bytes = 0;
    let errors: Vec<_> = problems
        .iter()
        .map(ToString::to_string)
        .take_while(|error| {
            bytes += error.len();
            bytes <= MAX_ERROR_BYTES
        })
        .collect();
    let omitted = problems.len() - errors.len();
    PolicyInvalid {
        path: path.chars().take(500).collect(),
        errors,
        errors_omitted: u32::try_from(omitted).unwrap_or(u32::MAX),
        using_last_known_good: true,
    }
}
