//! [`ThreadCache`], the simulated prompt caches of all models for one thread, and the rules R0 to R5.

use std::collections::BTreeMap;

use contracts::{CacheLifetime, CacheVariant, ModelId};
use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    CacheRules, Call, PrecedingInput, PromptSplit,
    rules::{MIN_CANCELLED_MICROS, UNCACHED_TOKENS, base_tokens, estimate_message_tokens},
};

/// The simulated prompt caches of one thread of a session: the cached prefixes for each model, and the size of the
/// thread's prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct ThreadCache {
    /// Size of the first prompt of the thread in tokens; `None` before the first call.
    first_prompt_tokens: Option<u64>,
    /// Size of the previous prompt in tokens; 0 before the first call.
    prompt_tokens: u64,
    /// Length of the history in content blocks, including the last response and the results of its tools.
    block: u64,
    /// Length of the history, in content blocks, at the previous prompt. The client marks the ends of the last two
    /// prompts for the cache.
    mark: u64,
    /// Cache lifetime of the last call.
    lifetime: CacheLifetime,
    /// Cache variant of the last call.
    variant: CacheVariant,
    /// Cached prefixes of each model.
    models: BTreeMap<ModelId, ModelCache>,
}

/// The simulated prompt cache of one model for one thread: the cached prefixes of the thread's prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct ModelCache {
    /// Time at which the base (system prompt and tools) was last used; `None` if it was never used.
    base: Option<Timestamp>,
    /// Cached conversation for each cache variant.
    conversations: BTreeMap<CacheVariant, Conversation>,
}

/// The cached prefixes of a conversation with one [`CacheVariant`] (settings that a prompt must share to be read from
/// the cache).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Conversation {
    /// Prefix that the last call wrote or refreshed.
    latest: Prefix,
    /// Prefix that was cached before `latest`, for calls that were sent before `latest` could be read; `None` if there
    /// was none.
    previous: Option<Prefix>,
}

/// A cached prefix of a prompt, with its length and the time of its last use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Prefix {
    /// Length of the prefix in tokens.
    tokens: u64,
    /// Time of the last use: the start of the response from which on the prefix can be read.
    used_at: Timestamp,
    /// Length of the history up to the end of the prefix, in content blocks.
    block: u64,
}

/// Result of a cache lookup for a prompt: the cached prefix of its conversation, and the part of the prompt that is
/// read.
struct CacheLookup {
    /// Prefix of the conversation that was cached when the request was sent, even if it has expired; `None` if there
    /// was none.
    prefix: Option<Prefix>,
    /// Part of the prompt that is read from the cache.
    read: CacheRead,
}

/// Part of a prompt that a request reads from the cache.
enum CacheRead {
    /// The prefix of the conversation, in tokens.
    Conversation(u64),
    /// System prompt and tools, of the size that [`base_tokens`] returns.
    Base,
    /// Nothing of the prompt.
    Nothing,
}

impl ThreadCache {
    /// Simulates a call to `model`: updates the cache and returns the split of the prompt into read, written and
    /// uncached tokens.
    ///
    /// `initial_read` is the number of tokens that the first call of the thread reads, if it is a starting condition of the
    /// simulation; `None` if the rules determine it. Ignored for later calls.
    pub(super) fn call(&mut self, call: &Call, model: &ModelId, initial_read: Option<u64>) -> PromptSplit {
        let (rules, total) = (CacheRules::for_model(model), call.total());
        let is_first_call = self.first_prompt_tokens.is_none();
        let first_prompt_tokens = *self.first_prompt_tokens.get_or_insert(total);
        let after_completed_turn = call.after == PrecedingInput::Message && !is_first_call;
        if call.compacted || call.resumed || (total < self.prompt_tokens && !after_completed_turn) {
            self.models.values_mut().for_each(|cache| cache.conversations.clear());
        }
        let variant = rules.variant(call.variant);
        if !self.models.contains_key(model) {
            self.models.insert(model.clone(), ModelCache::default());
        }
        let (size, block) = (self.prompt_tokens.min(total), self.block);
        for attempt in
            call.attempts.iter().filter(|attempt| MIN_CANCELLED_MICROS <= attempt.stopped.micros_since(attempt.sent))
        {
            self.record_use(model, variant, Prefix { tokens: size, used_at: attempt.sent, block }, None);
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
            CacheRead::Base => base_tokens(call.lifetime, first_prompt_tokens),
            CacheRead::Nothing => 0,
        };
        read = rules.round_to_granularity(read.min(total));
        if let Some(initial_read) = initial_read.filter(|_| is_first_call) {
            read = initial_read.min(total);
        }
        let unread_tokens = total - read;
        let uncached = if rules.charges_writes() { unread_tokens.min(UNCACHED_TOKENS) } else { unread_tokens };

        let tokens = if rules.charges_writes() { total - uncached } else { total };
        self.record_use(model, variant, Prefix { tokens, used_at: call.began, block }, lookup.prefix);
        self.mark = block;
        self.block = block.saturating_add(call.blocks).saturating_add(u64::from(call.after != PrecedingInput::Tools));
        self.prompt_tokens = total;
        (self.lifetime, self.variant) = (call.lifetime, call.variant);
        PromptSplit::new(total, read, uncached, call.lifetime)
    }

    /// Returns the number of tokens that a request to `model` would read from the cache if it were sent at `at` and
    /// extended the last prompt, with the lifetime and the variant of the last call.
    pub(super) fn cached_tokens(&self, model: &ModelId, at: Timestamp) -> u64 {
        let rules = CacheRules::for_model(model);
        let read = match self.look_up(rules, model, rules.variant(self.variant), self.lifetime, at).read {
            CacheRead::Conversation(tokens) => tokens,
            CacheRead::Base => base_tokens(self.lifetime, self.first_prompt_tokens.unwrap_or(0)),
            CacheRead::Nothing => 0,
        };
        rules.round_to_granularity(read)
    }

    /// Looks up the prefix of a prompt that a request sent at `sent` reads from the cache, given the lifetime and the
    /// reach of the provider's cache. Does not change the cache.
    fn look_up(
        &self,
        rules: CacheRules,
        model: &ModelId,
        variant: CacheVariant,
        lifetime: CacheLifetime,
        sent: Timestamp,
    ) -> CacheLookup {
        let is_alive = |used_at: Timestamp| sent.micros_since(used_at) <= rules.lifetime_micros(lifetime);
        let cache = self.models.get(model);
        let conversation = cache.and_then(|cache| cache.conversations.get(&variant));
        let prefix = conversation.and_then(|conversation| {
            if sent < conversation.latest.used_at { conversation.previous } else { Some(conversation.latest) }
        });
        let read = match prefix {
            Some(prefix) if is_alive(prefix.used_at) && rules.can_reach(self.mark.saturating_sub(prefix.block)) => {
                CacheRead::Conversation(prefix.tokens)
            }
            _ if cache.and_then(|cache| cache.base).is_some_and(is_alive) || rules.shares_base(lifetime) => {
                CacheRead::Base
            }
            _ => CacheRead::Nothing,
        };
        CacheLookup { prefix, read }
    }

    /// Records that a request wrote or refreshed the prefix `latest`. It becomes the cached prefix of the variant's
    /// conversation, with `previous` as the previous one, and the base counts as used. Does nothing if the model has no
    /// cache entry.
    fn record_use(&mut self, model: &ModelId, variant: CacheVariant, latest: Prefix, previous: Option<Prefix>) {
        if let Some(cache) = self.models.get_mut(model) {
            cache.base = Some(latest.used_at);
            cache.conversations.insert(variant, Conversation { latest, previous });
        }
    }
}
