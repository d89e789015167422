//! The engine: policy, models, log and views, and the turns that go through them.

use std::{path::PathBuf, sync::Arc};

use contracts::{
    ContentHash,
    events::{PolicyInvalid, PolicyLoaded},
};
use evaluator::{DueVerdict, Rubric};
use event_bus::{Clock, EventLog, TextStore};
use event_core::{EventId, EventType, NewEvent, Position, Timestamp};
use router_core::Problem;

use crate::{
    capture::LONGEST_PATH,
    error::EngineError,
    home::Home,
    live::Attempts,
    models::Models,
    policy_file::{ActivePolicy, PolicyFile, Refresh},
    recorder::Recorder,
    router_state::RouterState,
};

/// Where an engine keeps what it writes, and what time it is.
pub struct Stores {
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Texts too long for an event.
    pub texts: Arc<dyn TextStore>,
    /// The time.
    pub clock: Box<dyn Clock>,
    /// Minutes by which the user's clock is ahead of UTC at a time.
    pub offset: fn(Timestamp) -> i16,
}

impl std::fmt::Debug for Stores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stores").finish_non_exhaustive()
    }
}

/// The composition root.
pub struct Engine {
    pub(crate) recorder: Recorder,
    pub(crate) texts: Arc<dyn TextStore>,
    pub(crate) policy: PolicyFile,
    pub(crate) models: Models,
    pub(crate) offset: fn(Timestamp) -> i16,
    /// The policy and models the log has been told of.
    announced: Option<(ContentHash, ContentHash)>,
    /// Up to where in the log the turns were judged.
    judged: Position,
    /// How often each message was sent.
    pub(crate) attempts: Attempts,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("recorder", &self.recorder).finish_non_exhaustive()
    }
}

/// What a look at the policy file brought, for whoever shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyTrouble {
    /// The file.
    pub path: String,
    /// Everything that is wrong with it.
    pub problems: Vec<Problem>,
}

impl Engine {
    /// Opens an engine on the user's files and the given stores.
    ///
    /// # Errors
    /// [`EngineError`] when the policy or the models cannot be used, or the log cannot be read.
    pub fn open(home: &Home, stores: Stores) -> Result<Self, EngineError> {
        let models = Models::load(&home.models())?;
        Self::with_models(home, models, stores)
    }

    /// As [`Engine::open`], with these models.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub fn with_models(home: &Home, models: Models, stores: Stores) -> Result<Self, EngineError> {
        let Stores { log, texts, clock, offset } = stores;
        let recorder = Recorder::open(log, clock)?;
        // The last good policy is the one the log was told of last.
        let last_good = || texts.get(recorder.state().active.policy?.0).ok().flatten();
        let registry = Arc::clone(&models.registry);
        let policy = PolicyFile::open_or_last_good(home.policy.clone(), home.user_text(), registry, last_good)?;
        Ok(Self {
            recorder,
            texts,
            policy,
            models,
            offset,
            announced: None,
            judged: Position::ORIGIN,
            attempts: Attempts::default(),
        })
    }

    /// The state folded from the log.
    pub const fn state(&self) -> &RouterState {
        self.recorder.state()
    }

    /// The log.
    pub const fn log(&self) -> &Arc<dyn EventLog> {
        self.recorder.log()
    }

    /// Texts too long for an event.
    pub const fn texts(&self) -> &Arc<dyn TextStore> {
        &self.texts
    }

    /// The policy file.
    pub const fn policy_path(&self) -> &PathBuf {
        self.policy.path()
    }

    /// What `~` stands for in a policy.
    pub fn home_of_policy(&self) -> Option<&str> {
        self.policy.home()
    }

    /// The policy active.
    pub const fn policy(&self) -> &ActivePolicy {
        self.policy.active()
    }

    /// The models active.
    pub const fn models(&self) -> &Models {
        &self.models
    }

    /// The position of the last event that was recorded; it is durable after the next [`Engine::commit`].
    pub fn position(&self) -> Position {
        self.recorder.position()
    }

    /// The present.
    pub fn now(&self) -> Timestamp {
        self.recorder.now()
    }

    /// What is wrong with the policy file as it stands, while an earlier policy stands in for it.
    pub fn standing_trouble(&self) -> &[Problem] {
        self.policy.standing_trouble()
    }

    /// What is wrong with the policy file, when an earlier policy had to stand in for it at the start.
    pub fn policy_trouble(&self) -> Option<PolicyTrouble> {
        let problems = self.policy.trouble()?.to_vec();
        Some(PolicyTrouble { path: self.policy.path().display().to_string(), problems })
    }

    /// Looks at the policy file and tells the log what came of it (004 §4.8).
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn refresh_policy(&mut self) -> Result<Option<PolicyTrouble>, EngineError> {
        let trouble = match self.policy.refresh() {
            Refresh::Unchanged | Refresh::Loaded => None,
            Refresh::Invalid(problems) => {
                let path = self.policy.path().display().to_string();
                let event = invalid(&path, &problems);
                let now = self.recorder.now();
                let position = self.recorder.position().0.to_le_bytes();
                let id = EventId::derive(&[b"routing.policy_invalid", path.as_bytes(), &position]);
                self.recorder.record([NewEvent::new(id, now, policy_correlation(), &event)?])?;
                Some(PolicyTrouble { path, problems })
            }
        };
        self.announce()?;
        Ok(trouble)
    }

    /// Tells the log which policy and models are active, when that changed: their texts first, then the events.
    pub(crate) fn announce(&mut self) -> Result<(), EngineError> {
        let (policy, models) = (self.policy.active().clone(), self.models.clone());
        let standing = Some((policy.hash, models.hash));
        if self.announced == standing {
            return Ok(());
        }
        self.texts.put(&policy.text)?;
        self.texts.put(&models.text)?;
        let path = policy.path.chars().take(500).collect();
        let home = self.policy.home().filter(|home| home.len() <= LONGEST_PATH).map(str::to_owned);
        let known = &self.recorder.state().active;
        let known = known.policy == Some(policy.hash) && known.home == home;
        let loaded = PolicyLoaded { hash: policy.hash, bytes: policy.text.len() as u64, path, home };
        let catalogue = models.event();
        let now = self.recorder.now();
        let position = self.recorder.position().0.to_le_bytes();
        let id = |kind: &str, hash: &ContentHash| EventId::derive(&[kind.as_bytes(), &hash.0, &position]);
        let events = [
            (!known).then(|| NewEvent::new(id(PolicyLoaded::KIND, &policy.hash), now, policy_correlation(), &loaded)),
            (self.recorder.state().active.catalogue != Some(models.hash))
                .then(|| NewEvent::new(id("catalogue.loaded", &models.hash), now, policy_correlation(), &catalogue)),
        ];
        self.recorder.record(events.into_iter().flatten().collect::<Result<Vec<_>, _>>()?)?;
        self.announced = standing;
        Ok(())
    }

    /// Records events that follow from what was recorded: outages that began or ended (decision D6), and how turns went.
    ///
    /// # Errors
    /// [`EngineError`] when the log cannot be written.
    pub fn react(&mut self) -> Result<(), EngineError> {
        let now = self.recorder.now();
        let transitions = self.recorder.state().availability.transitions(now);
        let events = transitions.iter().map(availability::Transition::seal).collect::<Result<Vec<_>, _>>()?;
        self.recorder.record(events)?;
        self.judge()
    }

    /// Whether nothing was recorded since the turns were judged.
    pub(crate) fn is_judged(&self) -> bool {
        self.judged == self.recorder.position()
    }

    /// Records how the turns went of which something was learned since the last time.
    pub(crate) fn judge(&mut self) -> Result<(), EngineError> {
        if self.is_judged() {
            return Ok(());
        }
        let asked_at = self.recorder.position();
        let due = self.recorder.state().evaluator.due_verdicts(&Rubric::built_in(), self.judged);
        let events = due.into_iter().map(DueVerdict::seal).collect::<Result<Vec<_>, _>>()?;
        self.recorder.record(events)?;
        self.judged = asked_at;
        self.make_room()
    }

    /// Records what has to be forgotten so that no workspace's patterns grow beyond their cap.
    fn make_room(&mut self) -> Result<(), EngineError> {
        let (now, position) = (self.recorder.now(), self.recorder.position());
        let needed = self.recorder.state().patterns.capacity_events(now);
        let events = needed.iter().map(|need| need.seal(now, position)).collect::<Result<Vec<_>, _>>()?;
        self.recorder.record(events)
    }

    /// Everything recorded is on the disk when this returns.
    ///
    /// # Errors
    /// [`EngineError`] when it is not.
    pub fn commit(&mut self) -> Result<(), EngineError> {
        Ok(self.recorder.commit()?)
    }

    /// A last barrier; the state is saved so that the next start is quick.
    ///
    /// # Errors
    /// [`EngineError`] when something could not be written.
    pub fn close(self) -> Result<(), EngineError> {
        Ok(self.recorder.close()?)
    }
}

/// What events about the policy as a whole belong to.
fn policy_correlation() -> EventId {
    EventId::derive(&[b"policy"])
}

/// The event about a bad policy: as many errors as fit.
fn invalid(path: &str, problems: &[Problem]) -> PolicyInvalid {
    const MOST_BYTES: usize = 2_000;
    let mut bytes = 0;
    let errors: Vec<_> = problems
        .iter()
        .map(ToString::to_string)
        .take_while(|error| {
            bytes += error.len();
            bytes <= MOST_BYTES
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
