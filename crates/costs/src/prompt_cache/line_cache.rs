//! [`LineCache`], the simulated caches of all models for one thread, and the rules R0 to R5.

use std::collections::BTreeMap;

use contracts::{CacheLifetime, CacheVariant, ModelId};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    CacheRules, Call, PrecedingInput, Split,
    rules::{MIN_CANCELLED_MICROS, UNCACHED_TOKENS, base_tokens, estimate_message_tokens},
};

/// Cached prefixes of a thread, for each model, and the size of its prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct LineCache {
    /// Size of the first prompt in tokens; `None` before the first call.
    first: Option<u64>,
    /// Size of the previous prompt in tokens; 0 before the first call.
    size: u64,
    /// Length of the history in content blocks.
    block: u64,
    /// Length of the history at the previous prompt. The client marks the ends of the last two prompts for the cache.
    mark: u64,
    /// Cache lifetime of the last call.
    lifetime: CacheLifetime,
    /// Cache variant of the last call.
    variant: CacheVariant,
    /// Cached prefixes of each model.
    models: BTreeMap<ModelId, ModelCache>,
}

/// Cached prefixes of one model for a thread.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct ModelCache {
    /// Time of the last use of system prompt and tools; `None` before the first.
    base: Option<Timestamp>,
    /// Cached conversation of each variant.
    conversations: BTreeMap<CacheVariant, Conversation>,
}

/// Cached prefixes of the conversation of one [`CacheVariant`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Conversation {
    /// Prefix that the last call wrote or refreshed.
    latest: Prefix,
    /// Prefix before `latest`, for calls that were sent before `latest` could be read; `None` if there was none.
    before: Option<Prefix>,
}

/// A cached beginning of a prompt, with its length and last use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Prefix {
    /// Length of the prefix in tokens.
    tokens: u64,
    /// Start of the response that wrote or refreshed it, from which on it can be read.
    used: Timestamp,
    /// Position of its mark in the history, in content blocks.
    block: u64,
}

/// Result of a cache lookup: the prefix known to the cache, and the part that the request reads.
struct CacheLookup {
    /// Prefix of the conversation when the request was sent, even if expired.
    known: Option<Prefix>,
    /// Part of the prompt that the request reads.
    read: CacheRead,
}

/// Part of the prompt that a request reads from the cache.
enum CacheRead {
    /// The prefix of the conversation, in tokens.
    Conversation(u64),
    /// System prompt and tools, of the size that [`base_tokens`] returns.
    Base,
    /// Nothing of the prompt.
    Nothing,
}

impl LineCache {
    /// Simulates a call to `model`, updates the cache and returns the split of the prompt. `given` is the number of
    /// tokens read by the first call of the thread, if that is a starting condition; ignored for later calls.
    pub(super) fn call(&mut self, call: &Call, model: &ModelId, given: Option<u64>) -> Split {
        let (rules, total) = (CacheRules::of(model), call.total());
        let is_first_call = self.first.is_none();
        let first = *self.first.get_or_insert(total);
        let after_completed_turn = call.after == PrecedingInput::Message && !is_first_call;
        if call.compacted || call.resumed || (total < self.size && !after_completed_turn) {
            self.models.values_mut().for_each(|cache| cache.conversations.clear());
        }
        let variant = rules.variant(call.variant);
        if !self.models.contains_key(model) {
            self.models.insert(model.clone(), ModelCache::default());
        }
        let (size, block) = (self.size.min(total), self.block);
        for attempt in
            call.attempts.iter().filter(|attempt| MIN_CANCELLED_MICROS <= attempt.stopped.micros_since(attempt.sent))
        {
            self.record_use(model, variant, Prefix { tokens: size, used: attempt.sent, block }, None);
        }

        let lookup = self.look_up(rules, model, variant, call.lifetime, call.sent);
        let mut read = match lookup.read {
            CacheRead::Conversation(tokens)
                if after_completed_turn && call.attempts.is_empty() && rules.has_auxiliary_call() =>
            {
                tokens.max(
                    total.saturating_sub(UNCACHED_TOKENS.saturating_add(estimate_message_tokens(call.message_bytes))),
                )
            }
            CacheRead::Conversation(tokens) => tokens,
            CacheRead::Base => base_tokens(call.lifetime, first),
            CacheRead::Nothing => 0,
        };
        read = rules.round_to_granularity(read.min(total));
        if let Some(given) = given.filter(|_| is_first_call) {
            read = given.min(total);
        }
        let rest = total - read;
        let uncached = if rules.charges_writes() { rest.min(UNCACHED_TOKENS) } else { rest };

        let tokens = if rules.charges_writes() { total - uncached } else { total };
        self.record_use(model, variant, Prefix { tokens, used: call.began, block }, lookup.known);
        self.mark = block;
        self.block = block.saturating_add(call.blocks).saturating_add(u64::from(call.after != PrecedingInput::Tools));
        self.size = total;
        (self.lifetime, self.variant) = (call.lifetime, call.variant);
        Split::new(total, read, uncached, call.lifetime)
    }

    /// Returns the tokens that a request with the last lifetime and variant would read at `at`, if it extends the
    /// prompt.
    pub(super) fn warm_tokens(&self, model: &ModelId, at: Timestamp) -> u64 {
        let rules = CacheRules::of(model);
        let read = match self.look_up(rules, model, rules.variant(self.variant), self.lifetime, at).read {
            CacheRead::Conversation(tokens) => tokens,
            CacheRead::Base => base_tokens(self.lifetime, self.first.unwrap_or(0)),
            CacheRead::Nothing => 0,
        };
        rules.round_to_granularity(read)
    }

    /// Looks up the cached prefix that a request reads at `sent`, given the expiry and reach of the provider's cache.
    fn look_up(
        &self,
        rules: CacheRules,
        model: &ModelId,
        variant: CacheVariant,
        lifetime: CacheLifetime,
        sent: Timestamp,
    ) -> CacheLookup {
        let alive = |used: Timestamp| sent.micros_since(used) <= rules.lifetime_micros(lifetime);
        let cache = self.models.get(model);
        let conversation = cache.and_then(|cache| cache.conversations.get(&variant));
        let known = conversation.and_then(|conversation| {
            if sent < conversation.latest.used { conversation.before } else { Some(conversation.latest) }
        });
        let read = match known {
            Some(prefix) if alive(prefix.used) && rules.can_reach(self.mark.saturating_sub(prefix.block)) => {
                CacheRead::Conversation(prefix.tokens)
            }
            _ if cache.and_then(|cache| cache.base).is_some_and(alive) || rules.shares_base(lifetime) => {
                CacheRead::Base
            }
            _ => CacheRead::Nothing,
        };
        CacheLookup { known, read }
    }

    /// Records the use of a prefix: `latest` becomes the cached conversation of the variant, after `before`, and the
    /// base is renewed. Does nothing for a model without an entry.
    fn record_use(&mut self, model: &ModelId, variant: CacheVariant, latest: Prefix, before: Option<Prefix>) {
        if let Some(cache) = self.models.get_mut(model) {
            cache.base = Some(latest.used);
            cache.conversations.insert(variant, Conversation { latest, before });
        }
    }
}
