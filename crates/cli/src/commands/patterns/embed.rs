//! `patterns embed`: the messages of the log put into numbers by the embedder that the policy names.

use adapters::embedder::{OpenAiEmbedder, Timeouts};
use engine::Embedded;
use router_core::{EmbeddingEndpoint, RecordText};

use crate::{
    context::Context,
    failure::Failure,
    screen::{counted, event_bar},
};

/// What to write into a policy that names no embedder.
const LINES_TO_ADD: &str = "\
the policy names nobody who embeds; with Ollama running, add to routing.yaml:

embedding:
  url: \"http://localhost:11434/v1\"
  model: nomic-embed-text
  # key_env: OPENAI_API_KEY   # the environment variable that holds the key, where one is needed";

pub(crate) fn run(context: &Context) -> Result<(), Failure> {
    let mut engine = context.engine()?;
    let trouble = engine.refresh_policy()?;
    context.policy_notice(trouble.as_ref());
    let policy = &engine.policy().policy;
    if policy.record_text() == RecordText::Never {
        return Err(Failure::Wrong("the policy says `privacy.record_text: never`: nothing is embedded".to_owned()));
    }
    let endpoint = policy.embedding().ok_or_else(|| Failure::Wrong(LINES_TO_ADD.to_owned()))?;
    let embedder = embedder(endpoint)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::NotDone(format!("cannot start waiting for answers: {error}")))?;
    let bar = event_bar(0, "embedding");
    if context.json {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let embedded = runtime.block_on(engine.embed(&embedder, |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    }));
    bar.finish_and_clear();
    let embedded = embedded?;
    engine.close()?;
    context.print(&embedded, || show(&embedded))?;
    match &embedded.failure {
        Some(failure) => {
            Err(Failure::NotDone(format!("{failure}\nWhat was embedded is kept; the same command goes on from there")))
        }
        None => Ok(()),
    }
}

/// Who the policy names, with the key from the environment.
fn embedder(endpoint: &EmbeddingEndpoint) -> Result<OpenAiEmbedder, Failure> {
    let key = match &endpoint.key_env {
        Some(name) => {
            let unset =
                format!("`embedding.key_env` names `{name}`, which is not set or is not text: set it to the key");
            let key = std::env::var(name).ok().filter(|key| !key.trim().is_empty());
            Some(key.ok_or(Failure::Wrong(unset))?)
        }
        None => None,
    };
    OpenAiEmbedder::new(&endpoint.url, &endpoint.model, key.as_deref().map(str::trim), Timeouts::default())
        .map_err(|error| Failure::Wrong(error.to_string()))
}

fn show(embedded: &Embedded) {
    let by = embedded.embedder.as_ref().map(|name| format!(" by {name}")).unwrap_or_default();
    match (embedded.embedded, embedded.failed) {
        (0, 0) => anstream::println!("Every message of the log is embedded already."),
        (done, _) => anstream::println!("{} embedded{by}.", counted(done, "message")),
    }
    if 0 < embedded.skipped {
        anstream::println!("{} skipped: empty, or the text is gone.", counted(embedded.skipped, "message"));
    }
    if 0 < embedded.failed {
        anstream::println!("{} not embedded.", counted(embedded.failed, "message"));
    }
}
