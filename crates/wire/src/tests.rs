//! The invariants of every reader, on frames of each protocol.

use serde_json::{Value, json};

use super::anthropic::AnthropicReader;
use super::gemini_live::{AnswerRoute, GeminiLiveReader};
use super::openai::OpenAiReader;
use super::openai_realtime::RealtimeReader;
use super::*;

fn read(reader: &mut impl FrameReader, frame: &Value) -> FrameResult {
    reader.read(&Frame::parse(frame.to_string().as_bytes()).unwrap())
}

/// The calls of some frames, as `id name args`, and the number of problems.
fn read_all(reader: &mut impl FrameReader, frames: &[Value]) -> (Vec<String>, usize) {
    let (mut calls, mut problems) = (Vec::new(), 0);
    for frame in frames {
        let result = read(reader, frame);
        calls.extend(result.calls.iter().map(|call| format!("{} {} {}", call.id, call.name, call.args)));
        problems += result.problems.len();
    }
    (calls, problems)
}

fn realtime_item(id: &str, status: &str) -> Value {
    let item = json!({ "type": "function_call", "status": status, "call_id": id, "name": "f", "arguments": "{}" });
    json!({ "type": "response.output_item.done", "response_id": "r1", "item": item })
}

fn realtime_end(status: &str) -> Value {
    json!({ "type": "response.done", "response": { "id": "r1", "status": status } })
}

#[test]
fn realtime_returns_a_completed_call_once_and_asks_the_model_after_its_answer() {
    let mut reader = RealtimeReader::default();
    read(&mut reader, &json!({ "type": "response.created", "response": { "id": "r1" } }));
    let frames =
        [realtime_item("c1", "completed"), realtime_item("c1", "completed"), realtime_item("c2", "incomplete")];
    assert_eq!(read_all(&mut reader, &frames), (vec!["c1 f {}".to_owned()], 0));
    assert!(!read(&mut reader, &realtime_end("completed")).asks_model);
    assert!(reader.wants_answer("c1"));
    assert!(reader.record_answer("c1"));
    assert!(!reader.wants_answer("c1") && !reader.record_answer("c1"));
}

#[test]
fn realtime_cancels_the_calls_of_a_cancelled_response_and_does_not_continue() {
    let mut reader = RealtimeReader::default();
    read(&mut reader, &json!({ "type": "response.created", "response": { "id": "r1" } }));
    read(&mut reader, &realtime_item("c1", "completed"));
    assert_eq!(read(&mut reader, &realtime_end("cancelled")).cancelled, ["c1"]);
    assert_eq!(read(&mut reader, &json!({ "type": "input_audio_buffer.speech_started" })).cancelled, [""; 0]);
    assert!(!reader.record_answer("c1"));
}

fn live_call(id: Option<&str>) -> Value {
    let mut call = json!({ "name": "f", "args": { "a": 1 } });
    if let Some(id) = id {
        call["id"] = id.into();
    }
    call
}

fn announced(call: &Value) -> Value {
    json!({ "toolCall": { "functionCalls": [call] } })
}

fn in_content(call: &Value) -> Value {
    json!({ "serverContent": { "modelTurn": { "parts": [{ "functionCall": call }] } } })
}

#[test]
fn gemini_returns_a_call_of_both_places_once() {
    let mut reader = GeminiLiveReader::new("s");
    let frames = [in_content(&live_call(Some("c1"))), announced(&live_call(Some("c1")))];
    assert_eq!(read_all(&mut reader, &frames).0.len(), 1);
    let mut reader = GeminiLiveReader::new("s");
    assert_eq!(read_all(&mut reader, &[in_content(&live_call(None))]).0, [""; 0]);
    assert!(reader.has_held_calls());
    assert_eq!(read_all(&mut reader, &[announced(&live_call(Some("c1")))]).0.len(), 1);
    assert!(!reader.has_held_calls());
}

#[test]
fn gemini_calls_that_are_no_list_are_a_problem() {
    for calls in [json!(7), json!([]), json!("f"), json!({}), json!({ "functionCalls": {} })] {
        let result = read(&mut GeminiLiveReader::new("s"), &json!({ "toolCall": calls }));
        assert_eq!((result.calls.len(), result.problems.len()), (0, 1), "{calls}");
    }
    for none in [json!(null), json!({ "functionCalls": [] })] {
        assert!(read(&mut GeminiLiveReader::new("s"), &json!({ "toolCall": none })).is_empty(), "{none}");
    }
}

#[test]
fn gemini_never_receives_a_generated_id_or_the_answer_of_a_cancelled_call() {
    let mut reader = GeminiLiveReader::new("s");
    let held = in_content(&live_call(None));
    read(&mut reader, &held);
    let result = read(&mut reader, &json!({ "serverContent": { "generationComplete": true } }));
    let [call] = result.calls.as_slice() else { panic!("one call: {result:?}") };
    assert!(call.id.contains("temp"));
    assert_eq!(reader.take_answer_route(&call.id), AnswerRoute::WithoutId);
    read(&mut reader, &announced(&json!({ "id": "c2", "name": "g", "args": {} })));
    assert_eq!(read(&mut reader, &json!({ "toolCallCancellation": { "ids": ["c2"] } })).cancelled, ["c2"]);
    assert_eq!(reader.take_answer_route("c2"), AnswerRoute::Never);
    assert_eq!(reader.take_answer_route("c3"), AnswerRoute::WithId("c3".to_owned()));
}

fn chat_chunk(index: u32, id: Option<&str>, args: &str, finish: Option<&str>) -> Value {
    let mut call = json!({ "index": index, "function": { "arguments": args } });
    if let Some(id) = id {
        call["id"] = id.into();
        call["function"]["name"] = "f".into();
    }
    json!({ "choices": [{ "delta": { "tool_calls": [call] }, "finish_reason": finish }] })
}

#[test]
fn chat_joins_deltas_by_index_and_marks_what_was_cut() {
    let frames = [
        chat_chunk(0, Some("c1"), "{\"a\"", None),
        chat_chunk(1, Some("c2"), "", None),
        chat_chunk(0, None, ":1}", Some("tool_calls")),
    ];
    assert_eq!(read_all(&mut OpenAiReader::new("s"), &frames), (vec!["c1 f {\"a\":1}".into(), "c2 f ".into()], 0));
    let cut = [chat_chunk(0, Some("c1"), "", Some("length"))];
    assert_eq!(read_all(&mut OpenAiReader::new("s"), &cut).0, ["c1 f {"]);
}

#[test]
fn responses_return_a_call_of_the_stream_and_of_the_response_once() {
    let item =
        json!({ "type": "function_call", "status": "completed", "call_id": "c1", "name": "f", "arguments": "{}" });
    let frames = [
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "output": [item] } }),
    ];
    assert_eq!(read_all(&mut OpenAiReader::new("s"), &frames), (vec!["c1 f {}".to_owned()], 0));
}

fn anthropic_message(stop_reason: &str) -> Vec<Value> {
    vec![
        json!({ "type": "message_start", "message": {} }),
        json!({ "type": "content_block_start", "index": 0,
                "content_block": { "type": "tool_use", "id": "c1", "name": "f", "input": {} } }),
        json!({ "type": "content_block_delta", "index": 0,
                "delta": { "type": "input_json_delta", "partial_json": "{\"a\":" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": "1}" } }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop_reason } }),
        json!({ "type": "message_stop" }),
    ]
}

#[test]
fn anthropic_returns_calls_at_the_end_of_the_message_and_none_of_a_refused_one() {
    let mut reader = AnthropicReader::default();
    assert_eq!(read_all(&mut reader, &anthropic_message("tool_use")), (vec!["c1 f {\"a\":1}".to_owned()], 0));
    // The same id again is the same call.
    assert_eq!(read_all(&mut reader, &anthropic_message("tool_use")).0, [""; 0]);
    assert_eq!(read_all(&mut AnthropicReader::default(), &anthropic_message("refusal")).0, [""; 0]);
}

#[test]
fn a_frame_of_any_shape_gives_no_call_and_no_panic() {
    let shapes = [json!({}), json!({ "type": 7 }), json!({ "type": "response.done" }), json!({ "toolCall": [] })];
    for frame in &shapes {
        assert_eq!(read(&mut RealtimeReader::default(), frame).calls, []);
        assert_eq!(read(&mut GeminiLiveReader::new("s"), frame).calls, []);
        assert_eq!(read(&mut OpenAiReader::new("s"), frame).calls, []);
        assert_eq!(read(&mut AnthropicReader::default(), frame).calls, []);
    }
    for bytes in [b"[]".as_slice(), b"{", b"\xff", b""] {
        assert!(Frame::parse(bytes).is_err());
    }
}
