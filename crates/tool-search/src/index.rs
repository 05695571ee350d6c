//! The inverted index and the ranking.

use std::collections::{HashMap, HashSet};
use std::iter;

use bm25::{Embedder, EmbedderBuilder, TokenEmbedder, TokenEmbedding, Tokenizer};

use crate::document::{SearchableTool, for_each_parameter_text};
use crate::expansion::Synonyms;
use crate::query_cues::for_each_cue;
use crate::tokens::TermReader;

/// Maximum length of a query; the rest is ignored.
pub const MAX_QUERY_BYTES: usize = 1000;

/// BM25's parameters, the fields' weights (repetitions of their tokens) and the weights of derived query terms. Chosen
/// on the even half of the questions of `bench/search`.
const K1: f32 = 3.0;
const B: f32 = 0.5;
const NAME_WEIGHT: usize = 3;
const TITLE_WEIGHT: usize = 2;
const SUMMARY_WEIGHT: usize = 1;
const FIRST_SENTENCE_WEIGHT: usize = 2;
const LATER_SENTENCES_WEIGHT: usize = 1;
const PARAMETER_WEIGHT: usize = 1;
const SYNONYM_WEIGHT: f32 = 0.6;
const CUE_WEIGHT: f32 = 0.3;

/// Hash of a term, the key of the inverted index.
type TermKey = u64;

/// A found tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchHit {
    /// The tool's position in the list that the index was built from.
    pub index: usize,
    /// The score, above 0; comparable within one search.
    pub score: f32,
}

/// A tool that contains a term.
#[derive(Debug, Clone, Copy)]
struct Posting {
    tool: usize,
    weight: f32,
}

/// An immutable in-memory index over a list of tools.
///
/// ```
/// use serde_json::json;
/// use toolgate_tool_search::{SearchableTool, ToolIndex};
///
/// let parameters = json!({ "properties": { "city": { "type": "string", "description": "Where." } } });
/// let tool = |name, description| SearchableTool { name, title: "", summary: "", description, parameters: &parameters };
/// let index = ToolIndex::build([
///     tool("get_weather", "The forecast of a city."),
///     tool("send_invoice", "Sends an invoice to a customer."),
/// ]);
/// let found = index.search("send the bill to our customer", 5, |_| true);
/// assert_eq!(found[0].index, 1);
/// ```
pub struct ToolIndex {
    reader: TermReader,
    synonyms: Synonyms,
    postings: HashMap<TermKey, Box<[Posting]>>,
    tool_count: usize,
}

impl std::fmt::Debug for ToolIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ToolIndex").field("tools", &self.tool_count).finish_non_exhaustive()
    }
}

impl ToolIndex {
    /// Builds the index of a list of tools.
    pub fn build<'a>(tools: impl IntoIterator<Item = SearchableTool<'a>>) -> Self {
        let reader = TermReader::new();
        let texts: Vec<String> = tools.into_iter().map(|tool| weighted_tokens(&reader, &tool)).collect();
        let corpus: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embedder: Embedder<TermKey, SpaceTokenizer> =
            EmbedderBuilder::with_tokenizer_and_fit_to_corpus(SpaceTokenizer, &corpus).k1(K1).b(B).build();
        let mut postings: HashMap<TermKey, Vec<Posting>> = HashMap::new();
        for (tool, text) in corpus.iter().enumerate() {
            let mut terms = embedder.embed(text).0;
            // The embedder repeats a repeated token, always with the same value.
            terms.sort_unstable_by_key(|term| term.index);
            terms.dedup_by_key(|term| term.index);
            for TokenEmbedding { index, value } in terms {
                postings.entry(index).or_default().push(Posting { tool, weight: value });
            }
        }
        let postings = postings.into_iter().map(|(key, tools)| (key, tools.into_boxed_slice())).collect();
        Self { synonyms: Synonyms::new(&reader), reader, postings, tool_count: corpus.len() }
    }

    /// The tools that match a query, best first, equal scores in the order of the list. Tools for which `is_allowed` is
    /// false are as if they were not in the index, also in the frequencies of terms; only the average length of a tool
    /// counts them.
    #[must_use]
    pub fn search(&self, query: &str, limit: usize, is_allowed: impl Fn(usize) -> bool) -> Vec<SearchHit> {
        let concepts = self.concepts(bounded(query));
        if concepts.is_empty() || limit == 0 {
            return Vec::new();
        }
        let mut scoring = Scoring::new((0..self.tool_count).map(is_allowed).collect());
        for concept in &concepts {
            for (key, weight) in concept {
                scoring.raise(self.postings.get(key).map_or(&[], |postings| postings), *weight);
            }
            scoring.complete_concept();
        }
        best(&scoring.scores, limit)
    }

    /// The concepts of a query in the order of their first appearance, so that sums are reproducible: a term with its
    /// synonyms, or the cue of a value.
    fn concepts(&self, query: &str) -> Vec<Vec<(TermKey, f32)>> {
        let mut own = self.reader.terms(query);
        let mut known = HashSet::new();
        own.retain(|term| known.insert(TermKey::embed(term)));
        let mut concepts: Vec<Vec<(TermKey, f32)>> = Vec::new();
        for term in &own {
            let synonyms = self.synonyms.for_term(term).iter().map(|synonym| TermKey::embed(synonym));
            let synonyms = synonyms.filter(|key| !known.contains(key)).map(|key| (key, SYNONYM_WEIGHT));
            concepts.push(iter::once((TermKey::embed(term), 1.0)).chain(synonyms).collect());
        }
        for_each_cue(query, |cue| {
            let key = TermKey::embed(&self.reader.stem(cue));
            if known.insert(key) {
                concepts.push(vec![(key, CUE_WEIGHT)]);
            }
        });
        concepts
    }
}

/// The scores of one search. A concept adds to a tool's score the best of its terms, not their sum: a tool that names
/// three synonyms fits no better than a tool that names one.
struct Scoring {
    allowed: Vec<bool>,
    allowed_count: usize,
    scores: Vec<f32>,
    /// The current concept's part of the scores.
    concept: Vec<f32>,
    /// The tools with a part in `concept`, possibly more than once.
    touched: Vec<usize>,
}

impl Scoring {
    fn new(allowed: Vec<bool>) -> Self {
        let allowed_count = allowed.iter().filter(|allowed| **allowed).count();
        let zeros = vec![0.0; allowed.len()];
        Self { allowed_count, scores: zeros.clone(), concept: zeros, touched: Vec::new(), allowed }
    }

    /// Raises the current concept's part of the tools that contain a term.
    fn raise(&mut self, postings: &[Posting], weight: f32) {
        let allowed = &self.allowed;
        let is_allowed = |posting: &&Posting| allowed.get(posting.tool) == Some(&true);
        let containing = postings.iter().filter(is_allowed).count();
        let factor = weight * inverse_document_frequency(self.allowed_count, containing);
        for posting in postings.iter().filter(is_allowed) {
            if let Some(part) = self.concept.get_mut(posting.tool) {
                *part = part.max(factor * posting.weight);
                self.touched.push(posting.tool);
            }
        }
    }

    /// Adds the current concept's part to the scores and clears it.
    fn complete_concept(&mut self) {
        for tool in self.touched.drain(..) {
            if let (Some(score), Some(part)) = (self.scores.get_mut(tool), self.concept.get_mut(tool)) {
                *score += std::mem::take(part);
            }
        }
    }
}

/// The hits of all scores above 0, best first.
fn best(scores: &[f32], limit: usize) -> Vec<SearchHit> {
    let mut hits: Vec<SearchHit> = scores
        .iter()
        .enumerate()
        .filter(|(_, score)| **score > 0.0)
        .map(|(index, score)| SearchHit { index, score: *score })
        .collect();
    let order =
        |one: &SearchHit, other: &SearchHit| other.score.total_cmp(&one.score).then(one.index.cmp(&other.index));
    if hits.len() > limit {
        hits.select_nth_unstable_by(limit, order);
        hits.truncate(limit);
    }
    hits.sort_unstable_by(order);
    hits
}

/// BM25's inverse document frequency in the form that is never negative, as in `bm25`.
#[expect(clippy::cast_precision_loss, reason = "numbers of tools are far below 2^24")]
fn inverse_document_frequency(all: usize, containing: usize) -> f32 {
    let (all, containing) = (all as f32, containing as f32);
    (1.0 + (all - containing + 0.5) / (containing + 0.5)).ln()
}

/// The beginning of a query, at most [`MAX_QUERY_BYTES`].
fn bounded(query: &str) -> &str {
    let end = (0..=MAX_QUERY_BYTES.min(query.len())).rev().find(|end| query.is_char_boundary(*end));
    end.and_then(|end| query.get(..end)).unwrap_or_default()
}

/// The terms of a tool separated by spaces, each as often as its field weighs.
fn weighted_tokens(reader: &TermReader, tool: &SearchableTool<'_>) -> String {
    let mut tokens = String::new();
    let mut add = |text: &str, weight: usize| {
        reader.for_each_term(text, |term| {
            for _ in 0..weight {
                tokens.push_str(term);
                tokens.push(' ');
            }
        });
    };
    add(tool.name, NAME_WEIGHT);
    add(tool.title, TITLE_WEIGHT);
    add(tool.summary, SUMMARY_WEIGHT);
    let (first, later) = split_first_sentence(tool.description);
    add(first, FIRST_SENTENCE_WEIGHT);
    add(later, LATER_SENTENCES_WEIGHT);
    for_each_parameter_text(tool.parameters, &mut |text| add(text, PARAMETER_WEIGHT));
    tokens
}

/// A description's first sentence or line, which names the purpose, and the rest: conditions, notes, errors.
fn split_first_sentence(description: &str) -> (&str, &str) {
    let description = description.trim_start();
    let after = description.char_indices().skip(1).map(|(at, _)| at);
    let ends = |at: &usize| {
        let (before, rest) = description.split_at_checked(*at).unwrap_or_default();
        before.ends_with('\n') || (before.ends_with(['.', '。']) && rest.starts_with(char::is_whitespace))
    };
    after.into_iter().find(ends).and_then(|at| description.split_at_checked(at)).unwrap_or((description, ""))
}

/// Splits what [`weighted_tokens`] joined.
struct SpaceTokenizer;

impl Tokenizer for SpaceTokenizer {
    fn tokenize(&self, text: &str) -> Vec<String> {
        text.split_ascii_whitespace().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn tool(name: &'static str, description: &'static str) -> SearchableTool<'static> {
        SearchableTool { name, title: "", summary: "", description, parameters: &Value::Null }
    }

    fn found(index: &ToolIndex, query: &str) -> Vec<usize> {
        index.search(query, 10, |_| true).iter().map(|hit| hit.index).collect()
    }

    fn three_tools() -> ToolIndex {
        ToolIndex::build([
            tool("kb_search", "Search the knowledge base."),
            tool("getUserById", "Returns a person."),
            tool("movie_finder", "Finds movies by genre."),
        ])
    }

    #[test]
    fn finds_by_identifier_word_stem_and_synonym() {
        let index = three_tools();
        assert_eq!(found(&index, "searching knowledge").first(), Some(&0));
        assert_eq!(found(&index, "user"), [1]);
        assert_eq!(found(&index, "cinema"), [2]);
        assert_eq!(found(&index, "the of zeppelin"), Vec::<usize>::new());
        assert_eq!(found(&index, ""), Vec::<usize>::new());
    }

    #[test]
    fn parameters_are_searched() {
        let parameters =
            json!({ "properties": { "fuel": { "description": "Diesel or petrol.", "enum": ["kerosene"] } } });
        let with = SearchableTool { parameters: &parameters, ..tool("one", "") };
        let index = ToolIndex::build([tool("two", ""), with]);
        for query in ["fuel", "diesel", "kerosene"] {
            assert_eq!(found(&index, query), [1], "{query}");
        }
    }

    #[test]
    fn excluded_tools_change_no_score() {
        let same = || tool("send_mail", "Sends a mail.");
        let alone = ToolIndex::build([same(), tool("open_file", "Opens a file.")]);
        let crowded = ToolIndex::build([same(), tool("open_file", "Opens a file."), same(), same()]);
        let visible = crowded.search("mail", 10, |index| index < 2);
        assert_eq!(visible, alone.search("mail", 10, |_| true));
    }

    #[test]
    fn equal_scores_keep_the_lists_order_and_the_limit_keeps_the_best() {
        let index = ToolIndex::build((0..50).map(|_| tool("same", "same thing")));
        assert_eq!(found(&index, "thing"), (0..10).collect::<Vec<_>>());
        let index = three_tools();
        let all = index.search("search movies of a user", 10, |_| true);
        assert_eq!(index.search("search movies of a user", 1, |_| true), all.get(..1).unwrap());
        assert!(index.search("movies", 0, |_| true).is_empty());
    }

    #[test]
    fn the_rest_of_a_long_query_is_ignored() {
        let index = three_tools();
        let filler = "é".repeat(MAX_QUERY_BYTES);
        assert!(found(&index, &format!("{filler} movie")).is_empty());
        assert_eq!(found(&index, &format!("movie {filler}")), [2]);
    }

    #[test]
    fn the_first_sentence_ends_at_a_full_stop_or_a_line() {
        assert_eq!(split_first_sentence("Use v1.2 here. Then"), ("Use v1.2 here.", " Then"));
        assert_eq!(split_first_sentence("One\nTwo"), ("One\n", "Two"));
        assert_eq!(split_first_sentence("One."), ("One.", ""));
        assert_eq!(split_first_sentence(""), ("", ""));
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        assert!(found(&ToolIndex::build([]), "anything").is_empty());
    }

    proptest! {
        #[test]
        fn any_text_is_indexed_and_searched(text in "\\PC{0,200}", query in "\\PC{0,200}") {
            let document = SearchableTool {
                name: &text, title: &text, summary: &text, description: &text, parameters: &Value::Null,
            };
            let index = ToolIndex::build([document]);
            let hits = index.search(&query, 10, |_| true);
            prop_assert!(hits.iter().all(|hit| hit.score.is_finite() && hit.score > 0.0));
            prop_assert_eq!(hits, index.search(&query, 10, |_| true));
        }
    }
}
