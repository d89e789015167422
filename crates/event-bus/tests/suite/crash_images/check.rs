//! [`Crash`], which checks that the state after a crash fulfils the guarantees of the log.

use std::path::Path;

use event_bus::{
    EventLog, Expected, JournalReader, LogError, Repair, RepairAction, RepairPlan, SledLog, TextFiles, TextStore as _,
    plan_repair,
};
use event_core::{NewEvent, Payload, Position, Recorded, Timestamp};

use super::{
    program::NAMES_A_TEXT,
    story::{STATE, Story},
};
use crate::support::new_events;

/// A crash of a program, and the log directory that it left.
pub(crate) struct Crash<'a> {
    /// The program's record.
    pub(crate) story: &'a Story,
    /// Number of changes before the crash.
    pub(crate) changes: usize,
    /// Directory of the log.
    pub(crate) log: &'a Path,
}

/// Result of opening a log that fulfils the guarantees.
pub(crate) struct Opened {
    /// Number of events.
    pub(crate) events: usize,
    /// Repairs that opening made.
    pub(crate) repairs: Vec<Repair>,
    /// Whether the checkpoint was lost with the index.
    pub(crate) state_lost: bool,
}

impl Crash<'_> {
    /// Reads the log without opening it for writing. Returns the number of events; `None` if the reader rejects the
    /// state as damaged, an error if a guarantee is violated.
    pub(crate) fn read(&self) -> Result<Option<usize>, String> {
        let read = JournalReader::open(self.log).and_then(|log| log.read_after(Position::ORIGIN, usize::MAX));
        match read {
            Ok(events) => self.is_as_promised(&events).map(Some),
            Err(LogError::Damaged { .. } | LogError::Io { .. }) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Opens the log, appends to it, opens it again, and verifies it. Damage that the program was repairing at the
    /// crash is repaired first. An error if a guarantee is violated.
    pub(crate) fn open(&self) -> Result<Opened, String> {
        let text = |error: LogError| error.to_string();
        let (log, repairs) = match SledLog::open(self.log) {
            // Damage that existed before the crash, and whose repair the crash interrupted, is repaired now.
            Err(LogError::Damaged { .. }) if self.story.may_be_damaged(self.changes) => plan_repair(self.log)
                .and_then(RepairPlan::execute)
                .and_then(|_| SledLog::open(self.log))
                .map_err(text)?,
            other => other.map_err(text)?,
        };
        let events = self.is_as_promised(&log.read_after(Position::ORIGIN, usize::MAX).map_err(text)?)?;
        let state_lost = self.has_lost_its_state(&log, &repairs)?;
        let found = self.story.events.get(events.saturating_sub(1)).map(|event| log.find(event.id)).transpose();
        if events != 0 && found.map_err(text)? != Some(Some(Position(events as u64))) {
            return Err("the last event is not found by its id".to_owned());
        }
        // Events whose ids no story has.
        let more = new_events(1_000_000..1_000_003);
        log.append(Expected::At(Position(events as u64)), Timestamp(u64::MAX / 2), &more).map_err(text)?;
        log.close().map_err(text)?;
        drop(log);
        let (log, again) = SledLog::open(self.log).map_err(text)?;
        if !again.is_empty() {
            return Err(format!("repaired a second time: {again:?}"));
        }
        let all = log.read_after(Position::ORIGIN, usize::MAX).map_err(text)?;
        drop(log);
        if self.is_as_promised(&all[..events])? != events || all[events..].iter().map(|event| &event.event).ne(&more) {
            return Err("what was appended after the crash is not there".to_owned());
        }
        let verified = event_bus::verify(self.log).map_err(text)?;
        if !verified.is_sound() || verified.indexed != Some(events as u64 + 3) {
            return Err(format!("the log does not verify: {verified:?}"));
        }
        Ok(Opened { events, repairs, state_lost })
    }

    /// Returns the number of events. An error unless they are complete batches, a prefix of the appended events, and
    /// include all acknowledged ones.
    fn is_as_promised(&self, found: &[Recorded]) -> Result<usize, String> {
        let count = found.len();
        let places = found.iter().map(|event| event.position).eq((1..=count as u64).map(Position));
        let known = count <= self.story.events.len();
        if !places
            || !known
            || !found.iter().zip(&self.story.events).all(|(recorded, event)| self.is_as_appended(recorded, event))
        {
            return Err(format!("{count} events are no prefix of what was appended"));
        }
        let promised = self.story.promised(self.changes);
        if count < promised {
            return Err(format!("{promised} events were acknowledged, {count} are there"));
        }
        if count != 0 && !self.story.batches.contains(&count) {
            return Err(format!("the log ends within a batch, after {count} events"));
        }
        self.has_purged_in_one_step(found)?;
        self.has_its_texts(found)?;
        Ok(count)
    }

    /// Checks that either all payloads that a purge removes are there and none of the events that it appends, or none of
    /// these payloads and all of these events.
    fn has_purged_in_one_step(&self, found: &[Recorded]) -> Result<(), String> {
        let Some(purge) = self.story.purge else { return Ok(()) };
        let selected = |event: &&Recorded| purge.removes(event.position);
        let (selected, purged) = found
            .iter()
            .filter(selected)
            .fold((0, 0), |(selected, purged), event| (selected + 1, purged + u64::from(event.purged.is_some())));
        let after = (found.len() as u64).saturating_sub(purge.events);
        let is_unchanged = purged == 0 && (after == 0 || purge.recorded == 0);
        let is_purged = purged == selected && purge.recorded <= after;
        if is_unchanged || is_purged {
            return Ok(());
        }
        Err(format!("{purged} of {selected} payloads were removed, and {after} events follow"))
    }

    /// Returns whether `found` is the event `appended`, or its purged form if a purge that selects it had started.
    /// After an acknowledged purge only the purged form is accepted.
    fn is_as_appended(&self, found: &Recorded, appended: &NewEvent) -> bool {
        let purge = self.story.purge.filter(|purge| purge.began <= self.changes && purge.removes(found.position));
        match (found.purged, purge) {
            (None, None) => found.event == *appended,
            (None, Some(purge)) => {
                found.event == *appended && (self.changes < purge.done || appended.payload.is_empty())
            }
            (Some(hash), Some(_)) => {
                let left = NewEvent { payload: Payload::default(), ..appended.clone() };
                hash == *blake3::hash(&appended.payload).as_bytes() && found.event == left
            }
            (Some(_), None) => false,
        }
    }

    /// Checks that every text that was stored or is named by a found event exists, and that every text whose removal
    /// was acknowledged does not.
    fn has_its_texts(&self, found: &[Recorded]) -> Result<(), String> {
        let texts = TextFiles::open(self.log);
        for text in &self.story.texts {
            let named = found.iter().any(|event| event.event.kind == NAMES_A_TEXT && *event.event.payload == text.hash);
            let there = texts.get(text.hash).map(|text| text.is_some());
            let (removal_began, removed) = text.removed.unwrap_or((usize::MAX, usize::MAX));
            if removed <= self.changes && !matches!(there, Ok(false)) {
                return Err(format!("a text that was removed is back: {there:?}"));
            }
            let wanted = (text.kept <= self.changes || named) && self.changes < removal_began;
            if wanted && !matches!(there, Ok(true)) {
                return Err(format!("a text that was kept is not there: {there:?}"));
            }
        }
        Ok(())
    }

    /// Returns whether the checkpoint was lost because the index was rebuilt. An error if it was lost in another way or
    /// is not one that was saved.
    fn has_lost_its_state(&self, log: &SledLog, repairs: &[Repair]) -> Result<bool, String> {
        let (possible, may_be_none) = self.story.states(self.changes);
        match log.load_checkpoint(STATE).map_err(|error| error.to_string())? {
            Some(state) if possible.contains(&&state) => Ok(false),
            Some(state) => Err(format!("a state at position {} that should not be there", state.position)),
            None if may_be_none => Ok(false),
            None if is_rebuilt(repairs) => Ok(true),
            None => Err("the saved state is gone".to_owned()),
        }
    }
}

/// Returns whether the index was rebuilt, which loses the checkpoints.
pub(crate) fn is_rebuilt(repairs: &[Repair]) -> bool {
    repairs.iter().any(|repair| repair.action == RepairAction::IndexRebuilt)
}
