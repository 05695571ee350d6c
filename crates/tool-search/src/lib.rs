//! Ranked search over tool definitions, so that a model can find a tool among many: BM25 over name, title, summary,
//! description, parameter names and parameter descriptions, with English stemming.
//!
//! Crates, as of November 2026:
//! - `bm25` (MIT, 2,000 lines, one dependency without its default features) weights the terms of each tool: its
//!   `Embedder` takes any tokens, so a field's weight is the number of repetitions of its tokens. Its `Scorer` is not
//!   used: it cannot restrict a search to some of the documents without counting the others.
//! - `tantivy` is the best kept, but has 50 direct dependencies, and a field's boost multiplies a BM25 score of the
//!   field alone; that ranks tools worse (recall@5 0.86 instead of 0.89 on the tuned half of the questions of
//!   `bench/search`, both without synonyms and cues).
//! - `frostem` (BSD-3-Clause, generated from Snowball's current sources, as used by `tantivy`) stems; `rust-stemmers`
//!   (1.2.0) is generated from older ones.

mod document;
mod expansion;
mod index;
mod query_cues;
mod tokens;

pub use document::SearchableTool;
pub use index::{MAX_QUERY_BYTES, SearchHit, ToolIndex};
