//! `patterns embed`: computes embeddings for the messages of the log, with the embedder that the policy names.

use std::{sync::Arc, time::Duration};

use adapters::{
    embedder::{OpenAiEmbedder, Timeouts},
    http_client,
};
use control::{RecordEmbeddings, RefreshPolicy, Writer};
use engine::{EmbeddingRun, EmbeddingSummary};
use event_bus::TextFiles;
use router_core::EmbeddingEndpoint;

use crate::{
    context::Context,
    failure::Failure,
    screen::{count_noun, event_bar, outln},
};

/// Time limit for opening a connection to the endpoint.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The error message when the policy names no embedder.
const NO_EMBEDDER_MESSAGE: &str = "\
the policy names no embedder; with Ollama running, add to routing.yaml:

embedding:
  url: \"http://localhost:11434/v1\"
  model: nomic-embed-text
  # key_env: OPENAI_API_KEY   # the environment variable that holds the key, where one is needed";

/// Computes embeddings for the messages of the log that have none of the policy's embedder, and records them.
///
/// # Errors
/// [`Failure::Invalid`] if the policy names no embedder or forbids recording text; [`Failure::Failed`] if the endpoint
/// fails, after the embeddings until then were recorded.
pub(crate) fn run(context: &Context) -> Result<(), Failure> {
    let mut writer = context.writer()?;
    let policy = writer.execute(RefreshPolicy {})?;
    context.print_policy_note(&policy.path, policy.errors, policy.first_error.as_deref());
    if !policy.records_text {
        return Err(engine::EngineError::TextForbidden.into());
    }
    let endpoint = policy.embedding.ok_or_else(|| Failure::Invalid(NO_EMBEDDER_MESSAGE.to_owned()))?;
    let embedder = embedder(&endpoint)?;
    let embedded = embed(context, &mut writer, &embedder)?;
    writer.close()?;
    context.print(&embedded, || print_summary(&embedded))?;
    match &embedded.failure {
        Some(failure) => Err(Failure::Failed(format!(
            "{failure}\nThe messages embedded so far are recorded; the same command continues with the rest"
        ))),
        None => Ok(()),
    }
}

/// Computes embeddings for the messages of the log and records them batch by batch, with a progress bar. A failure of
/// the endpoint is not an error but a part of the summary.
fn embed(context: &Context, writer: &mut Writer, embedder: &OpenAiEmbedder) -> Result<EmbeddingSummary, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Failed(format!("cannot start the runtime: {error}")))?;
    let texts = TextFiles::open(context.home.log());
    let mut run = EmbeddingRun::new(context.log_reader()?, Arc::new(texts), embedder)?;
    let bar = event_bar(run.total(), "embedding");
    if context.json {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    while let Some(embeddings) = runtime.block_on(run.next_batch())? {
        if !embeddings.is_empty() {
            writer.execute(RecordEmbeddings { embeddings })?;
        }
        bar.set_position(run.done());
    }
    bar.finish_and_clear();
    Ok(run.into_summary())
}

/// Creates a client of the embeddings endpoint that the policy names. Its key is read from the environment.
///
/// # Errors
/// [`Failure::Invalid`] for an invalid URL or key; [`Failure::Failed`] if no HTTP client can be created.
fn embedder(endpoint: &EmbeddingEndpoint) -> Result<OpenAiEmbedder, Failure> {
    let no_authorities = |error: &std::io::Error| {
        tracing::warn!(%error, "the system has no certificate authorities, so an https address fails; install ca-certificates");
    };
    let client = http_client(CONNECT_TIMEOUT, 4, no_authorities)
        .map_err(|error| Failure::Failed(format!("the HTTP client cannot be created: {error}")))?;
    let (url, model, key_env) = (&endpoint.url, &endpoint.model, endpoint.key_env.as_deref());
    OpenAiEmbedder::with_key_env(url, model, key_env, client, Timeouts::default())
        .map_err(|error| Failure::Invalid(error.to_string()))
}

/// Prints for how many messages embeddings were computed, how many were skipped, and how many failed.
fn print_summary(embedded: &EmbeddingSummary) {
    let by = embedded.embedder.as_ref().map(|name| format!(" by {name}")).unwrap_or_default();
    match (embedded.embedded, embedded.failed) {
        (0, 0) => outln!("Every message of the log is embedded already."),
        (done, _) => outln!("{} embedded{by}.", count_noun(done, "message")),
    }
    if 0 < embedded.skipped {
        outln!("{} skipped: empty, or the text is gone.", count_noun(embedded.skipped, "message"));
    }
    if 0 < embedded.failed {
        outln!("{} not embedded.", count_noun(embedded.failed, "message"));
    }
}
