//! The tone of a message: whether it corrects or approves the response before it.
//!
//! Regular expressions are matched at the start of the message and of its first clauses, so that a request that
//! mentions or quotes an error is not a correction. A message that both approves and corrects is a correction.

use std::sync::LazyLock;

use contracts::Tone;
use regex::{Regex, RegexBuilder};

/// The number of bytes at the start of a message that are classified; later ones are ignored.
const CLASSIFIED_BYTES: usize = 300;

/// The greatest length in bytes of a message that is classified as a report of a failed check.
const MAX_REPORT_BYTES: usize = 80;

/// Words that are skipped at the start of a clause, as in `ok so`, `hmm,` or `sorry but`.
const FILLERS: &[&str] = &[
    "hm",
    "hmm",
    "hmmm",
    "ok",
    "okay",
    "ah",
    "oh",
    "sorry",
    "but",
    "wait",
    "well",
    "um",
    "uh",
    "and",
    "so",
    "yeah",
    "yes",
    "please",
    "actually",
    "aber",
    "also",
    "ne",
    "just",
    "can you",
    "could you",
    "let's",
    "nee",
];

/// Patterns of corrections, matched at the start of a clause.
const CORRECTIONS: &[&str] = &[
    r"(?:that|this|it)(?:'s|s| is| was)\s+(?:still |just |completely |totally |all |plain )*(?:wrong|incorrect|broken|not (?:right|correct|working|what i|how i|it\b))",
    r"(?:that|this|it)(?: is|'s| was)?\s?(?:n't|nt| not) (?:right|correct|working|what i|how i)",
    r"not (?:quite |really |exactly |at all )?(?:what|how) i\b",
    r"not (?:as|like|in|the|a) [ -\-/-~]{1,60}?\b(?:but|instead|rather)\b",
    r"you(?:'ve| have)? (?:just |also |completely |still |again )*(?:broke|broken|forgot|forgotten|missed|misunderstood|misread|ignored|overwrote|messed|screwed|deleted|removed the wrong)\b",
    r"(?:did )?you (?:edited|changed|used|picked|chose|took|opened|fixed|ran|read|edit|change|use|pick|choose|take|open|fix|run) the wrong\b",
    r"you(?:'re| are) (?:wrong|mistaken|missing|ignoring|not (?:listening|following)|in the wrong|(?:looking at|using|editing|changing) the wrong)\b",
    r"you (?:were supposed|should have|shouldn't have|should not have|weren't supposed|didn't|did not|haven't|have not)\b",
    r"i (?:meant|said)\b",
    r"i (?:told|asked) you\b",
    r"why (?:did|would|have) you (?:delete|remove|ignore|overwrite|revert|skip|break|not)",
    r"why (?:exactly )?(?:didn't|did not|haven't|have not) you\b",
    r"(?:(?:it|this|that|they|i|i'm|we|we're|there's|there is|there are|(?:the )?\w+(?: \w+)?)\s+)?(?:is |are |am )?still (?:fail|fails|failing|broken|wrong|not\b|doesn't|does not|don't|do not|isn't|is not|aren't|won't|can't|get\b|getting|see\b|seeing|the same|crash|crashes|crashing|throws|happens|happening|red\b|missing|nothing)",
    r"(?:i(?:'m| am)? (?:still )?(?:get|getting|see|seeing|have) |still |it's |again )?(?:exactly )?(?:the )?same (?:error|problem|issue|failure|mistake|exception)\b",
    r"(?:it|this|that) (?:still )?(?:doesn't|does not|didn't|did not|won't) (?:seem to )?(?:work|compile|build|run|help|pass|change anything|do anything)\b",
    r"(?:still )?(?:doesn't|does not|didn't|did not) (?:work|help|compile)\b",
    r"(?:still )?not working\b",
    r"(?:revert|undo|roll ?back) (?:that|this|it|these|those|them|your|all|everything|the (?:last|change|changes|previous))\b",
    r"(?:revert|undo|roll ?back)\s*[.!]*\z",
    r"try (?:it |that |this )?(?:once )?again\b",
    r"(?:that's |that is |this is |it's |the )?wrong (?:file|folder|directory|function|method|class|branch|place|line|one|approach|test|repo|repository|path|way|answer|language|version|model|issue)\b",
    r"wrong\s*[.!]*\z",
    r"stop(?:\s*[.!,]|\s*\z| (?:it|that|doing|changing|adding|editing|deleting)\b)",
    r"(?:that|this|it|your (?:change|fix|edit)) (?:broke|breaks|made it worse|introduced)\b",
    r"now (?:it|this|that|the \w+|i) (?:fails?|is broken|are broken|doesn't|does not|crash(?:es)?|gets? (?:an? )?(?:new )?error)\b",
    r"(?:das|es|so) (?:ist|war|stimmt)(?: \w+)? (?:falsch|nicht)\b",
    r"(?:das|es) (?:ist|war) falsch\b",
    r"(?:das|es) (?:geht|klappt|funktioniert|hilft) (?:\w+ )*nicht\b",
    r"(?:geht|klappt|funktioniert) (?:\w+ )*nicht\b",
    r"immer noch (?:falsch|kaputt|nicht|der ?selbe fehler|der gleiche fehler)",
    r"(?:mach|nimm) (?:das|es|alles) (?:wieder )?(?:r\u00fcckg\u00e4ngig|zur\u00fcck)",
    r"du hast (?:\w+ ){0,4}(?:vergessen|kaputt|\u00fcbersehen|missverstanden)",
    r"(?:versuch|versuche|probier|probiere) es (?:noch ?mal|nochmal|erneut)",
    r"falsche (?:datei|stelle|zeile)\b",
];

/// Patterns of corrections at the start of the message: a `no` with further text. A `no` alone answers a question.
const REFUSALS: &[&str] = &[
    r"(?:no+|nope|nah|nein)(?:\s*[,.!:;]+\s*|\s*--?\s+|\s*\n\s*)\w",
    r"no (?:that|this|it|you|wait|stop|wrong|i (?:meant|said|asked|wanted))\b",
];

/// Exceptions to [`REFUSALS`]: a `no` that declines an offer, or that abbreviates "number".
const DECLINED_OFFERS: &[&str] = &[
    r"(?:no+|nope|nah|nein)\s*[,.!:;-]*\s*(?:thanks|thank you|danke|need|problem|worries|rush|hurry|just|leave it|not (?:yet|now|needed|necessary)|don't (?:bother|worry)|let's|all good|go (?:ahead|on)|that's (?:fine|ok|okay|all|good|it|correct|right|enough|great)|it's (?:fine|ok|okay|good)|i(?:'m| am) (?:good|fine|done)|das (?:passt|reicht|ist (?:gut|ok)))",
    r"no\.?\s*\d",
];

/// Patterns of reports of a failed check, matched at the start of a short message; they count as corrections.
const FAILED_CHECKS: &[&str] = &[
    r"(?:the )?(?:lint(?:er|ing)?|build|ci|tests?|test suite|pipeline|compilation|typecheck) (?:is |are |still |now |all )*(?:fail(?:s|ed|ing)?|broken|red)\b",
];

/// Patterns of approvals, matched at the start of the message.
const APPROVALS: &[&str] = &[
    r"(?:thanks|thank you|thx|ty|cheers|danke|merci)\b",
    r"(?:perfect|perfekt|excellent|awesome|amazing|brilliant|fantastic|wonderful|lovely|sweet|lgtm|well done)\b",
    r"(?:good|great|nice|excellent|amazing|awesome) (?:work|job|one|stuff|catch|find)\b",
    r"(?:great|nice|cool|good|super|prima|klasse|toll|top)(?:\s*[!.,]|\s*\z|\s*\n)",
    r"(?:(?:that|this|it|all|everything|the \w+) )?looks? (?:really |very |pretty |so )*(?:good|great|perfect|right|correct|nice|fine)\b",
    r"(?:that|this|it|everything|all) (?:now )?works\b",
    r"works (?:now|great|fine|perfectly|well|nicely|like a charm|as expected|for me)\b",
    r"works\s*(?:[!.,]|\z)",
    r"(?:that|this|it)(?:'s| is) (?:now )?(?:working|perfect|great|excellent|awesome|exactly|correct|better)\b",
    r"(?:that|this) (?:fixed|solved|did) it\b",
    r"exactly what i\b",
    r"(?:i )?(?:love|like) (?:it|that|this)\b",
    r"(?:all good|ship it|(?:it|tests?|all tests?|everything) (?:now )?pass(?:es)?)\b",
    r"(?:sieht (?:gut|super) aus|passt|funktioniert jetzt|l\u00e4uft jetzt|geht jetzt|gut gemacht)\b",
];

/// Exceptions to [`APPROVALS`]: words that introduce a reservation, anywhere in the message.
const RESERVATIONS: &[&str] = &[r"\b(?:but|however|except|aber|allerdings)\b"];

/// The lists of patterns by which a tone is classified, each compiled to a single regular expression.
struct TonePatterns {
    /// [`CORRECTIONS`], matched at the start of a clause.
    corrections: Regex,
    /// [`REFUSALS`], matched at the start of the message.
    refusals: Regex,
    /// [`DECLINED_OFFERS`], matched at the start of the message.
    declined_offers: Regex,
    /// [`FAILED_CHECKS`], matched at the start of the message.
    failed_checks: Regex,
    /// [`APPROVALS`], matched at the start of the message.
    approvals: Regex,
    /// [`RESERVATIONS`], matched anywhere in the message.
    reservations: Regex,
}

/// The compiled patterns; compiled at the first use.
static PATTERNS: LazyLock<TonePatterns> = LazyLock::new(|| TonePatterns {
    corrections: compile_alternatives(r"\A", CORRECTIONS),
    refusals: compile_alternatives(r"\A", REFUSALS),
    declined_offers: compile_alternatives(r"\A", DECLINED_OFFERS),
    failed_checks: compile_alternatives(r"\A", FAILED_CHECKS),
    approvals: compile_alternatives(r"\A", APPROVALS),
    reservations: compile_alternatives("", RESERVATIONS),
});

/// Compiles a list of patterns to one regular expression that matches any of them after `anchor`; an empty anchor
/// matches anywhere in the text.
#[expect(clippy::expect_used, reason = "the patterns are literals that a test compiles")]
fn compile_alternatives(anchor: &str, patterns: &[&str]) -> Regex {
    let pattern = format!("{anchor}(?:{})", patterns.join("|"));
    RegexBuilder::new(&pattern).unicode(false).build().expect("the patterns of tones compile")
}

/// Classifies the first 300 bytes of a message as a correction or an approval of the previous response; [`Tone::Plain`]
/// if it is neither.
pub fn tone(message: &str) -> Tone {
    let message = message.trim();
    // Typographic apostrophes are replaced. Lower case, because case-insensitive patterns take much longer to compile.
    let text =
        message[..message.floor_char_boundary(CLASSIFIED_BYTES)].replace(['\u{2019}', '\u{2018}'], "'").to_lowercase();
    let patterns = &*PATTERNS;
    let start = skip_fillers(&text);
    let is_refusal = patterns.refusals.is_match(start) && !patterns.declined_offers.is_match(start);
    let is_report = message.len() <= MAX_REPORT_BYTES && patterns.failed_checks.is_match(start);
    if is_refusal || is_report || clause_starts(&text).any(|clause| patterns.corrections.is_match(skip_fillers(clause)))
    {
        Tone::Correction
    } else if patterns.approvals.is_match(start) && !patterns.reservations.is_match(start) {
        Tone::Approval
    } else {
        Tone::Plain
    }
}

/// Splits a text after each punctuation mark and line break. Returns, for each clause, the text from the start of the
/// clause to the end of the text.
fn clause_starts(text: &str) -> impl Iterator<Item = &str> {
    let after_punctuation =
        text.match_indices(['.', '!', '?', ',', ';', '\n']).filter_map(|(at, _)| text.get(at + 1..));
    std::iter::once(text).chain(after_punctuation.map(str::trim_start))
}

/// Returns a text without the [`FILLERS`] at its start, and without the punctuation and white space after each of them.
fn skip_fillers(text: &str) -> &str {
    let mut text = text;
    loop {
        let text_after_filler = FILLERS.iter().find_map(|filler| {
            let (start, text_after_filler) = text.split_at_checked(filler.len())?;
            let is_whole_word = !text_after_filler.starts_with(|c: char| c.is_alphanumeric() || c == '\'');
            (is_whole_word && start == *filler).then_some(text_after_filler)
        });
        let Some(text_after_filler) = text_after_filler else { return text };
        text = text_after_filler.trim_start_matches([',', '.', '!', ':', '-', ' ', '\t', '\n']);
    }
}
