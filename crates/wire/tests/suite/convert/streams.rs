//! Random streams of every API, split into random chunks and converted to every other API.

use contracts::WireApi;
use proptest::prelude::*;
use wire::{ConvertError, StreamConverter};

use super::{
    client::{self, Ended},
    provider,
    quirks::{chunks, cuts, quirks},
    story::{Said, Story, story},
};

/// Generates a pair of different APIs.
pub(crate) fn pairs() -> impl Strategy<Value = (WireApi, WireApi)> {
    let pairs = WireApi::ALL.into_iter().flat_map(|from| WireApi::ALL.map(|to| (from, to)));
    prop::sample::select(pairs.filter(|(from, to)| from != to).collect::<Vec<_>>())
}

/// Converts a stream. Returns the client's stream and the result of the conversion.
pub(crate) fn converted<'a>(
    (from, to): (WireApi, WireApi),
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<u8>, Result<(), ConvertError>) {
    let mut converter = StreamConverter::new(from, to, "client-model", "answer1".to_owned(), 1_700_000_000);
    let mut out = Vec::new();
    let mut result = Ok(());
    for chunk in chunks {
        result = result.and(converter.feed(chunk, &mut out));
    }
    result = result.and(converter.finish(&mut out));
    (out, result)
}

/// Returns the response that a client is expected to receive, given the provider's `story`.
fn expected((from, to): (WireApi, WireApi), story: &Story) -> Story {
    story.told_in(from).shown_in(to).flowing()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_client_understands_what_the_provider_said(pair in pairs(), story in story(), mut quirks in quirks()) {
        let stream = provider::stream(pair.0, &story, &mut quirks);
        let (out, result) = converted(pair, [&stream[..]]);
        prop_assert_eq!(result, Ok(()), "{}", String::from_utf8_lossy(&stream));
        let told = client::told(pair.1, &out).flowing();
        prop_assert_eq!(told, expected(pair, &story), "{}", String::from_utf8_lossy(&stream));
    }

    #[test]
    fn how_a_stream_is_cut_changes_nothing(
        pair in pairs(), story in story(), mut quirks in quirks(), cuts in cuts()
    ) {
        let stream = provider::stream(pair.0, &story, &mut quirks);
        let whole = converted(pair, [&stream[..]]);
        prop_assert_eq!(&converted(pair, chunks(&stream, &cuts)), &whole);
        prop_assert_eq!(&converted(pair, stream.chunks(1)), &whole);
    }

    #[test]
    fn said_in_another_api_and_back_it_is_the_same(pair in pairs(), story in story(), mut quirks in quirks()) {
        let stream = provider::stream(pair.0, &story, &mut quirks);
        let (there, _) = converted(pair, [&stream[..]]);
        let (back, result) = converted((pair.1, pair.0), [&there[..]]);
        prop_assert_eq!(result, Ok(()));
        // Thinking that was removed by the first conversion is not in the result of the second one.
        let expected = expected((pair.1, pair.0), &expected(pair, &story));
        prop_assert_eq!(client::told(pair.0, &back).flowing(), expected);
    }

    #[test]
    fn blocks_stay_apart_where_the_client_can_tell_them_apart(
        story in story(), mut quirks in quirks(), to_responses in any::<bool>()
    ) {
        let (anthropic, responses) = (WireApi::AnthropicMessages, WireApi::OpenAiResponses);
        let pair = if to_responses { (anthropic, responses) } else { (responses, anthropic) };
        let stream = provider::stream(pair.0, &story, &mut quirks);
        let (out, _) = converted(pair, [&stream[..]]);
        prop_assert_eq!(client::told(pair.1, &out).said, story.shown_in(pair.1).said);
    }

    #[test]
    fn a_stream_that_breaks_off_ends_in_an_error(
        pair in pairs(), story in story(), mut quirks in quirks(), end in any::<prop::sample::Index>()
    ) {
        let stream = provider::stream(pair.0, &story, &mut quirks);
        let (out, result) = converted(pair, [&stream[..end.index(stream.len())]]);
        match client::read(pair.1, &out) {
            // The missing end contained no content.
            Ended::Well(told) => {
                prop_assert_eq!(result, Ok(()));
                prop_assert_eq!(told.flowing().said, expected(pair, &story).said);
            }
            Ended::InError => prop_assert!(result.is_err()),
            Ended::Not => prop_assert!(false, "a silent end"),
        }
    }
}

/// The random stories contain tool calls, so the properties above are not vacuous.
#[test]
fn what_the_model_said_is_in_every_story() {
    // The properties above would hold for empty stories as well.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let stories: Vec<Story> = (0..100)
        .map(|_| story().new_tree(&mut runner).unwrap())
        .map(|tree| prop::strategy::ValueTree::current(&tree))
        .collect();
    let calls = |story: &&Story| story.said.iter().filter(|said| matches!(said, Said::Call { .. })).count() > 1;
    assert!(stories.iter().filter(calls).count() > 20);
}
