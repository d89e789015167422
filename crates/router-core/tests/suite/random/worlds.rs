//! Random turns, models, outages and recommendations.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use contracts::{
    AuxiliaryCall, Capabilities, ClientRequest, Delegation, Estimates, InFlight, ModelId, ModelSpec, NanoUsd, Needs,
    Override, PeriodAmounts, Recommendation, Registry, Requirement, Score, SessionId, Spending, Tier, Tokenizer,
    TurnId,
    events::TurnStarted,
    views::{Outages, PatternQuery, PatternSettings, PatternView, Views},
};
use event_core::{EventId, Timestamp};
use proptest::{
    collection::{btree_map, btree_set, vec},
    option::of,
    prelude::*,
    sample::select,
};
use router_core::StatedTurn;
use test_events::turn_started;

use super::policies::{CLIENTS, EXTENSIONS, MINUTES, MODELS, REQUESTED, SKILLS, TOKENS};
use crate::support;

/// Workspaces of sessions: as the client sends them, and the resolved path.
const PATHS: [(&str, &str); 9] = [
    ("/", "/"),
    ("/w", "/w"),
    ("/w/a", "/w/a"),
    ("/w/a/../b", "/w/b"),
    ("/w/abc", "/w/abc"),
    ("//w//a/b/", "/w/a/b"),
    ("/w/a/b/c/./d", "/w/a/b/c/d"),
    ("/home/dev/p/q", "/home/dev/p/q"),
    ("/home/dev/other", "/home/dev/other"),
];

/// All inputs of a decision except the policy.
#[derive(Debug, Clone)]
pub(super) struct World {
    /// By id.
    pub(super) models: Vec<ModelSpec>,
    pub(super) turn: StatedTurn,
    /// The workspace of the turn, resolved.
    pub(super) workspace: Option<&'static str>,
    pub(super) outages: Outages,
    pub(super) recommendation: Option<Recommendation>,
}

impl World {
    pub(super) fn registry(&self) -> Arc<Registry> {
        Arc::new(Registry::new(self.models.clone()).unwrap())
    }
}

/// A pattern store with a fixed recommendation, which records the settings of its queries.
#[derive(Debug, Default)]
pub(super) struct Stub {
    pub(super) says: Option<Recommendation>,
    pub(super) asked: RefCell<Option<PatternSettings>>,
}

impl PatternView for Stub {
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        *self.asked.borrow_mut() = Some(*query.settings);
        self.says.clone()
    }
}

pub(super) fn decide(world: &World, policy: &router_core::Policy, stub: &Stub) -> router_core::Decided {
    router_core::decide(&world.turn.turn(), policy, &Views { outages: &world.outages, patterns: stub })
}

/// Mostly true, so that many turns have a model.
fn mostly() -> impl Strategy<Value = bool> + Clone {
    prop_oneof![5 => Just(true), 1 => Just(false)]
}

fn model_spec(index: usize) -> impl Strategy<Value = ModelSpec> {
    let capabilities =
        (mostly(), mostly(), mostly(), mostly()).prop_map(|(images, tools, system_prompt, structured_output)| {
            Capabilities { images, tools, system_prompt, structured_output, ..Capabilities::default() }
        });
    let window = select(&[1_000, 50_000, 200_000, 200_000][..]);
    let tokenizer = select(&Tokenizer::ALL[..]);
    (capabilities, window, tokenizer, mostly(), of(select(&Tier::ALL[..]))).prop_map(
        move |(capabilities, context_window, tokenizer, configured, tier)| {
            let (alias, id) = MODELS[index];
            let spec = support::model(id, Tier::Fast, &[alias], tokenizer);
            ModelSpec { capabilities, context_window, configured, tier, ..spec }
        },
    )
}

fn models() -> impl Strategy<Value = Vec<ModelSpec>> {
    (model_spec(0), model_spec(1), model_spec(2), model_spec(3), model_spec(4)).prop_map(
        |(one, two, three, four, five)| {
            let mut models = vec![one, two, three, four, five];
            models.sort_by(|left, right| left.id.cmp(&right.id));
            models
        },
    )
}

/// A model of the registry, or sometimes one that is no longer in it.
fn model_id() -> impl Strategy<Value = ModelId> {
    let ids = MODELS.map(|(_, id)| id);
    prop_oneof![9 => select(ids.to_vec()), 1 => Just("gone:model")].prop_map(|id| ModelId::try_from(id).unwrap())
}

pub(super) fn message() -> impl Strategy<Value = String> {
    let words = ["commit", "Commit", "architecture", "review", "fix", "fixed", "sql", "Ärger", " ", " ", "\n"];
    vec(select(words.to_vec()), 0..7).prop_map(|words| words.concat())
}

fn needs() -> impl Strategy<Value = Needs> {
    any::<[bool; 4]>().prop_map(|[images, tools, system_prompt, structured_output]| Needs {
        images,
        tools,
        system_prompt,
        structured_output,
    })
}

/// The time of a turn and its offset from UTC, such that the local time is near the bounds of a window.
fn moment() -> impl Strategy<Value = (Timestamp, i16)> {
    (select(&MINUTES[..]), select(&[-720_i16, -300, 0, 60, 345, 840][..]), 0..60_u64).prop_map(
        |(local, offset_minutes, second)| {
            let minutes = 100 * 1_440 + i64::from(local) - i64::from(offset_minutes);
            (Timestamp::from_secs(u64::try_from(minutes).unwrap() * 60 + second), offset_minutes)
        },
    )
}

fn estimates() -> impl Strategy<Value = Estimates> {
    [0; 4].map(|_: u8| select(&TOKENS[..])).prop_map(|tokens| Estimates::each(|tokenizer| tokens[tokenizer as usize]))
}

/// The explicit choices of a turn: override, session model, delegation.
fn chosen() -> impl Strategy<Value = (Option<Override>, Option<ModelId>, Option<Delegation>)> {
    let rarely = proptest::option::weighted(0.2, model_id());
    let named = model_id().prop_map(|model| Override { alias: "Alias".to_owned(), model });
    let delegation = select(&Tier::ALL[..]).prop_map(|tier| Delegation { tier });
    (proptest::option::weighted(0.2, named), rarely, proptest::option::weighted(0.3, delegation))
}

/// An amount below, at or above the limits and thresholds of policies.
fn amount() -> impl Strategy<Value = NanoUsd> + Clone {
    select(&[0, 1, 5_000_000_000, 5_000_000_001, 5_420_000_000, 6_000_000_000][..]).prop_map(NanoUsd)
}

/// The amounts spent beside that of the day; a nano-dollar may be in flight.
fn spending() -> impl Strategy<Value = Spending> {
    let amounts = || (amount(), amount(), amount()).prop_map(|(day, week, month)| PeriodAmounts { day, week, month });
    let flying = || any::<bool>().prop_map(|flies| NanoUsd(u64::from(flies)));
    let in_flight = (flying(), flying(), flying(), flying()).prop_map(|(all, project, client, session)| InFlight {
        all,
        project,
        client,
        session,
    });
    (amounts(), amounts(), amounts(), in_flight).prop_map(|(all, project, client, in_flight)| {
        // The amount of the session is one more, independent of the others.
        Spending { week: all.week, month: all.month, project, client, session: all.day, in_flight }
    })
}

/// The request of a client, which may ask for a model or be an auxiliary call.
fn request() -> impl Strategy<Value = ClientRequest> {
    let auxiliary = proptest::option::weighted(0.2, select(&AuxiliaryCall::ALL[..]));
    (of(select(&CLIENTS[..])), select(&REQUESTED[..]), auxiliary, any::<[bool; 3]>()).prop_map(
        |(client, model, auxiliary, [subagent, web_search, thinks])| ClientRequest {
            client: client.map(str::to_owned),
            model: model.to_owned(),
            named: MODELS
                .iter()
                .find(|(alias, id)| [*alias, *id].contains(&model))
                .map(|(_, id)| ModelId::try_from(*id).unwrap()),
            auxiliary,
            subagent,
            web_search,
            requires: thinks.then_some(Requirement::Effort).into_iter().collect(),
            ..support::live_request()
        },
    )
}

pub(super) fn world() -> impl Strategy<Value = World> {
    let about = (message(), needs(), any::<bool>(), any::<bool>(), estimates(), moment());
    let context = (
        btree_set(select(&EXTENSIONS[..]), 0..3),
        (btree_set(select(&SKILLS[..]), 0..3), btree_set(select(&SKILLS[..]), 0..3)),
        (amount(), spending(), request()),
        of(select(&PATHS[..])),
    );
    let ends = || -1..=1_i64;
    let outages = (btree_map(model_id(), ends(), 0..4), btree_map(select(&["a", "b"][..]), ends(), 0..2));
    let learned = of((model_id(), 0..=100_u64, 0..30_u64));
    (models(), chosen(), about, context, outages, learned).prop_map(
        |(models, chosen, about, context, (models_out, providers_out), learned)| {
            let (override_model, sticky, delegation) = chosen;
            let (message, needs, message_has_images, tool_calls_in_history, tokens, (at, offset_minutes)) = about;
            let (extensions, (skills, selected), (spent_today, spending, request), path) = context;
            // An outage that ends a microsecond before the turn, at its time, or a microsecond after it.
            let end = |distance: i64| Timestamp(at.0.checked_add_signed(distance).unwrap());
            let outages = Outages {
                models: models_out.into_iter().map(|(model, distance)| (model, end(distance))).collect(),
                providers: providers_out
                    .into_iter()
                    .map(|(provider, distance)| (provider.try_into().unwrap(), end(distance)))
                    .collect::<BTreeMap<_, _>>(),
                refused_keys: BTreeMap::new(),
            };
            let turn = TurnId(EventId::derive(&[b"random"]));
            let started = TurnStarted {
                offset_minutes,
                message_bytes: message.len() as u64,
                override_model,
                sticky,
                delegation,
                workspace: path.map(|(named, _)| named.to_owned()),
                needs,
                message_has_images,
                tool_calls_in_history,
                tokens,
                extensions: extensions.into_iter().map(str::to_owned).collect(),
                skills: skills.into_iter().map(str::to_owned).collect(),
                spent_today,
                spending,
                request: Some(request),
                ..turn_started(turn, SessionId::try_from("random").unwrap())
            };
            let selected_skills = selected.into_iter().map(str::to_owned).collect();
            let turn = StatedTurn { started, at, message, selected_skills, skill_wish: None };
            let recommendation = learned.map(|(model, confidence, samples)| Recommendation {
                model,
                confidence: Score::ratio(confidence, 100),
                samples,
                alternatives: Vec::new(),
            });
            World { models, turn, workspace: path.map(|(_, meant)| meant), outages, recommendation }
        },
    )
}
