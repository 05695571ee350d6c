//! Recall and search time of the tool search over the corpus folder given as argument, as JSON on standard output.
//!
//! The questions are split into halves by their line: the weights were chosen on the even half only.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use bm25::{Embedder, EmbedderBuilder, Scorer, Tokenizer};
use serde_json::{Value, json};
use toolgate_tool_search::{SearchableTool, ToolIndex};

const TIMED_TOOLS: usize = 5000;
const FOUND: usize = 5;

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Tool {
    id: String,
    name: String,
    title: String,
    description: String,
    parameters: Value,
}

impl Tool {
    fn document(&self) -> SearchableTool<'_> {
        let Self { name, title, description, parameters, .. } = self;
        SearchableTool { name, title, summary: "", description, parameters }
    }
}

struct Question {
    text: String,
    /// The name of the right tool.
    tool: String,
}

fn main() -> Outcome<()> {
    let corpus = env::args().nth(1).ok_or("usage: search_evaluation <corpus>")?;
    let corpus = Path::new(&corpus);
    let paraphrases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/search/mcp-paraphrases.jsonl");

    let tools = read_tools(&[corpus.join("search/bfcl-tools.jsonl")])?;
    let questions = read_questions(&corpus.join("search/bfcl-questions.jsonl"), |id| {
        tools.iter().find(|tool| tool.id == id).map(|tool| tool.name.clone())
    })?;
    let mcp_tools = read_tools(&[corpus.join("tools/mcp-tools.jsonl"), corpus.join("tools/github-mcp.jsonl")])?;
    let mcp_questions = read_questions(&paraphrases, |name| {
        mcp_tools.iter().find(|tool| tool.name == name).map(|tool| tool.name.clone())
    })?;

    let index = index_of(&tools);
    let ranked = |text: &str| names(&tools, index.search(text, FOUND, |_| true).iter().map(|hit| hit.index));
    let plain = PlainBm25::build(&tools);
    let plainly_ranked = |text: &str| names(&tools, plain.search(text).into_iter());
    let mcp_index = index_of(&mcp_tools);
    let mcp_ranked =
        |text: &str| names(&mcp_tools, mcp_index.search(text, FOUND, |_| true).iter().map(|hit| hit.index));

    let half = |parity: usize| -> Vec<&Question> { questions.iter().skip(parity).step_by(2).collect() };
    let report = json!({
        "functions": tools.len(),
        "tuned": { "toolgate": recall(&half(0), &ranked), "plain": recall(&half(0), &plainly_ranked) },
        "heldOut": { "toolgate": recall(&half(1), &ranked), "plain": recall(&half(1), &plainly_ranked) },
        "mcp": { "tools": mcp_tools.len(), "toolgate": recall(&mcp_questions.iter().collect::<Vec<_>>(), &mcp_ranked) },
        "time": time(corpus, &questions)?,
    });
    serde_json::to_writer(io::stdout(), &report)?;
    Ok(())
}

fn index_of(tools: &[Tool]) -> ToolIndex {
    ToolIndex::build(tools.iter().map(Tool::document))
}

fn names(tools: &[Tool], found: impl Iterator<Item = usize>) -> Vec<&str> {
    found.filter_map(|index| tools.get(index)).map(|tool| tool.name.as_str()).collect()
}

/// The share of questions with the right tool first, and among the first five, by name.
#[expect(clippy::cast_precision_loss, reason = "the number of questions is small")]
fn recall<'a>(questions: &[&Question], ranked: &dyn Fn(&str) -> Vec<&'a str>) -> Value {
    let (mut first, mut among_five) = (0, 0);
    for Question { text, tool } in questions.iter().copied() {
        let names = ranked(text);
        first += usize::from(names.first() == Some(&tool.as_str()));
        among_five += usize::from(names.contains(&tool.as_str()));
    }
    let share = |count: usize| count as f64 / questions.len() as f64;
    json!({ "questions": questions.len(), "at1": share(first), "at5": share(among_five) })
}

/// The time of one search over 5,000 tools, with the questions as queries; the median of three for each.
fn time(corpus: &Path, questions: &[Question]) -> Outcome<Value> {
    let files = ["search/bfcl-tools.jsonl", "tools/mcp-tools.jsonl", "tools/bfcl.jsonl", "tools/glaive-tools.jsonl"];
    let mut tools = read_tools(&files.map(|file| corpus.join(file)))?;
    let read = tools.len();
    tools.truncate(TIMED_TOOLS);
    let started = Instant::now();
    let index = index_of(&tools);
    let build = started.elapsed();
    let mut times: Vec<Duration> = questions
        .iter()
        .map(|question| {
            let mut runs = [(); 3].map(|()| {
                let started = Instant::now();
                std::hint::black_box(index.search(&question.text, 10, |_| true));
                started.elapsed()
            });
            runs.sort_unstable();
            runs[1]
        })
        .collect();
    times.sort_unstable();
    let at = |share: usize| times.get(times.len().saturating_sub(1) * share / 100).map_or(0.0, milliseconds);
    Ok(json!({
        "tools": tools.len(), "of": read, "buildMs": milliseconds(&build),
        "medianMs": at(50), "p99Ms": at(99), "maxMs": at(100),
    }))
}

fn milliseconds(time: &Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Plain BM25 for comparison: the same crate, all texts as one, lower-case words, default parameters.
struct PlainBm25 {
    embedder: Embedder<u64, Words>,
    scorer: Scorer<usize, u64>,
}

impl PlainBm25 {
    fn build(tools: &[Tool]) -> Self {
        let texts: Vec<String> = tools.iter().map(plain_text).collect();
        let corpus: Vec<&str> = texts.iter().map(String::as_str).collect();
        let embedder = EmbedderBuilder::with_tokenizer_and_fit_to_corpus(Words, &corpus).build();
        let mut scorer = Scorer::new();
        corpus.iter().enumerate().for_each(|(index, text)| scorer.upsert(&index, embedder.embed(text)));
        Self { embedder, scorer }
    }

    fn search(&self, text: &str) -> Vec<usize> {
        let mut query = self.embedder.embed(text);
        query.0.sort_unstable_by_key(|token| token.index);
        query.0.dedup_by_key(|token| token.index);
        let mut found = self.scorer.matches(&query);
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
        found.into_iter().take(FOUND).map(|document| document.id).collect()
    }
}

fn plain_text(tool: &Tool) -> String {
    let mut texts = vec![tool.name.as_str(), tool.description.as_str()];
    for (name, parameter) in tool.parameters.get("properties").and_then(Value::as_object).into_iter().flatten() {
        texts.push(name);
        texts.extend(parameter.get("description").and_then(Value::as_str));
    }
    texts.join(" ")
}

struct Words;

impl Tokenizer for Words {
    fn tokenize(&self, text: &str) -> Vec<String> {
        let words = text.split(|character: char| !character.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    }
}

fn read_lines(file: &Path) -> Outcome<Vec<Value>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn text_of(line: &Value, member: &str) -> String {
    line.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn read_tools(files: &[impl AsRef<Path>]) -> Outcome<Vec<Tool>> {
    let mut tools = Vec::new();
    for file in files {
        tools.extend(read_lines(file.as_ref())?.iter().map(|line| Tool {
            id: text_of(line, "id"),
            name: text_of(line, "name"),
            title: text_of(line, "title"),
            description: text_of(line, "description"),
            parameters: line.get("parameters").cloned().unwrap_or_default(),
        }));
    }
    Ok(tools)
}

fn read_questions(file: &Path, name_of: impl Fn(&str) -> Option<String>) -> Outcome<Vec<Question>> {
    let lines = read_lines(file)?;
    let questions = lines.iter().map(|line| {
        let tool = text_of(line, "tool");
        let name = name_of(&tool).ok_or_else(|| format!("no tool `{tool}`"))?;
        Ok(Question { text: text_of(line, "question"), tool: name })
    });
    questions.collect()
}
