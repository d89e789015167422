//! [`decide`], the skill choice: its slots are evaluated in their order until one has a result (C-46 in docs/spec).

mod exclusions;
mod keyword_slot;
mod last_slots;
mod llm_slot;
mod named_slots;
mod open_results;
mod policy_slot;
mod score_slot;
mod summary;
mod tree_slot;

use contracts::{ChainEntry, Decision, SkillChoice, SkillReason, SkillSlot};
use router_core::{EvaluateSlots, evaluate_chain};

use self::open_results::OpenResults;
pub use self::summary::{confidence, is_degraded, layer_reached};
use crate::{
    agents_md::PolicyMatch,
    explicit::{Mentions, find_mentions},
    phrases::Occurrence,
    request::SkillRequest,
    router::SkillRouter,
    text::RequestText,
};

/// Version of the skill choice, recorded with each decision. It increases when equal inputs may be decided differently.
pub const SKILL_DECIDER_VERSION: u16 = 3;

/// Decides which skills a request loads. Every request has an outcome: skills are loaded, one is loaded after a failure,
/// the user is asked, or no skill is loaded. Equal inputs result in equal decisions.
pub fn decide(request: &SkillRequest<'_>, router: &SkillRouter) -> Decision<SkillChoice> {
    let text = RequestText::new(request.text);
    let found = router.phrases().find(&text);
    let mentions = find_mentions(&text, &router.names_at(&found));
    let mut paths = request.files.to_vec();
    paths.extend(text.paths().iter().map(|path| path.0.clone()));
    let reads_policy = router.settings().layers.policy;
    let agents = &router.sources().agents;
    let policy = if reads_policy { agents.find(request.text, &paths) } else { PolicyMatch::default() };
    let open = OpenResults::default();
    evaluate_chain(&mut SkillSlots { request, router, text, found, mentions, paths, policy, open })
}

/// The data that the slots (layers) of one skill decision read, collected once for each request.
struct SkillSlots<'a> {
    /// The request.
    request: &'a SkillRequest<'a>,
    /// The installed skills with the settings.
    router: &'a SkillRouter,
    /// The words of the request.
    text: RequestText,
    /// The keywords and other phrases of skills that occur in the request.
    found: Vec<Occurrence>,
    /// The skills that the request names in words.
    mentions: Mentions,
    /// The files of the task and the paths in the text.
    paths: Vec<String>,
    /// The rows of AGENTS.md that match.
    policy: PolicyMatch,
    /// The results of the layers that were evaluated and could not decide.
    open: OpenResults,
}

impl EvaluateSlots for SkillSlots<'_> {
    type Kind = SkillChoice;

    fn evaluate(&mut self, slot: SkillSlot) -> ChainEntry<SkillChoice> {
        let layers = self.router.settings().layers;
        let entry = match slot {
            SkillSlot::Explicit => self.explicit(),
            SkillSlot::NoSkill => self.no_skill(),
            SkillSlot::Policy if layers.policy => self.policy(),
            SkillSlot::Keyword if layers.keyword => self.keyword(),
            SkillSlot::Tree if layers.tree => self.tree(),
            SkillSlot::Score if layers.score => self.score(),
            SkillSlot::Llm if layers.llm => self.llm(),
            SkillSlot::Fallback => self.fallback(),
            SkillSlot::Clarify => self.clarify(),
            SkillSlot::Policy | SkillSlot::Keyword | SkillSlot::Tree | SkillSlot::Score | SkillSlot::Llm => {
                ChainEntry::not_applicable(slot, SkillReason::Disabled)
            }
        };
        self.open.add(&entry);
        entry
    }
}

impl SkillSlots<'_> {
    /// Returns whether the user can be asked: at most one question is asked for each task.
    const fn may_ask(&self) -> bool {
        self.request.interactive && !self.request.asked_before
    }
}

#[cfg(test)]
mod tests;
