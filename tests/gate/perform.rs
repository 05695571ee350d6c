//! Performs a fixture's steps on its world.

use std::sync::mpsc::{self, Sender};
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolgate::error::ToolError;
use toolgate::gate::{TurnBegun, UserDenial};
use toolgate::session::intent::Intent;

use super::act::{Act, Answer, BeginTurn, Call, Revoke, Store, Workers, digits};
use super::store::TestStore;
use super::terse;
use super::world::{Answered, Setting, World, pass};

/// What an act came to at once.
enum Started {
    Done(Value),
    /// A call, by its serial.
    Call(usize),
    /// Calls that belong together.
    Calls(Vec<usize>),
}

pub struct Stage {
    pub world: World,
    /// Frees the worker when it is dropped.
    busy: Option<Sender<()>>,
}

/// Answers of calls that earlier steps made, by their names.
type Answers = Map<String, Value>;

impl Stage {
    pub fn new(setting: Setting, tools: &Map<String, Value>, store: TestStore) -> Self {
        Self { world: World::new(setting, tools, store), busy: None }
    }

    /// What the act came to, and which calls of earlier acts were answered meanwhile.
    pub async fn perform(&mut self, act: Act) -> (Value, Answers) {
        match act {
            Act::Together(acts) => self.together(acts).await,
            Act::Repeat(times, call) => self.repeat(times, &call).await,
            act => {
                let started = self.start(act).await;
                let mut answered = self.world.idle(self.busy.is_none()).await;
                (came_to(started, &mut answered), by_name(answered))
            }
        }
    }

    async fn together(&mut self, acts: Vec<Act>) -> (Value, Answers) {
        let mut started = Vec::new();
        for act in acts {
            started.push(self.start(act).await);
            tokio::task::yield_now().await;
        }
        let mut answered = self.world.idle(self.busy.is_none()).await;
        let results = started.into_iter().map(|started| came_to(started, &mut answered)).collect();
        (Value::Array(results), by_name(answered))
    }

    async fn repeat(&mut self, times: usize, call: &Call) -> (Value, Answers) {
        let mut runs: Vec<(usize, Value)> = Vec::new();
        for n in 1..=times {
            let started = self.begin(&call.numbered(n));
            let mut answered = self.world.idle(self.busy.is_none()).await;
            let answer = unnumbered(&came_to(started, &mut answered), n);
            match runs.last_mut() {
                Some((count, last)) if *last == answer => *count += 1,
                _ => runs.push((1, answer)),
            }
        }
        (json!(runs), Answers::new())
    }

    fn begin(&mut self, call: &Call) -> Started {
        Started::Call(self.world.begin_call(call))
    }

    async fn start(&mut self, act: Act) -> Started {
        Started::Done(match act {
            Act::Call(call) => return self.begin(&call),
            Act::Ask(call) => return Started::Call(self.world.begin_ask(&call)),
            Act::ConfirmCall(call) => return Started::Call(self.world.begin_confirm_call(&call)),
            Act::Batch(calls) => return Started::Calls(self.world.begin_batch(&calls)),
            Act::Within(within) => {
                return Started::Call(self.world.begin_within(&within.tool, within.run, &within.call));
            }
            Act::Confirm(answer) => return Started::Call(self.world.begin_confirm(answer)),
            Act::Attach(attach) => self.world.attach(&attach).await,
            Act::BeginTurn(turn) => self.begin_turn(&turn).await,
            Act::Deny(Answer { token, on, reason, approver, .. }) => {
                let token = self.world.names.value(&token);
                self.told(
                    self.world
                        .session(&on)
                        .deny(&token, UserDenial { reason, via: None, approver })
                        .await
                        .map(Value::Bool),
                )
            }
            Act::DenyCall(no) => self.told(
                self.world
                    .session(&no.on)
                    .deny(&no.id, UserDenial { reason: no.reason, ..UserDenial::default() })
                    .await
                    .map(Value::Bool),
            ),
            Act::Pending(on) => self.pending(&on.on).await,
            Act::Grants(on) => self.grants(&on.on).await,
            Act::Revoke(Revoke { grant, on }) => {
                let id = self.world.names.value(&grant);
                self.told(self.world.session(&on).revoke(&id, None).await.map(Value::Bool))
            }
            Act::Cancel(cancel) => json!(self.world.session(&cancel.on).cancel(&cancel.id, &cancel.reason)),
            Act::Abort(abort) => json!(self.world.abort(&abort)),
            Act::CancelAll(cancel) => json!(self.world.session(&cancel.on).cancel_all(&cancel.reason)),
            Act::Detach(on) => {
                self.world.session(&on.on).detach();
                Value::Null
            }
            Act::End(on) => {
                self.world.session(&on.on).end("user").await;
                Value::Null
            }
            Act::Settle(settle) => json!(self.world.script.settle(&settle.tool, settle.run, &settle.with)),
            Act::Wait(ms) => {
                pass(ms).await;
                Value::Null
            }
            Act::Workers(workers) => self.set_workers(workers),
            Act::Store(store) => {
                self.world.store.fail(store == Store::Fails);
                Value::Null
            }
            Act::Restart(restart) => self.world.restart(restart.load.as_ref()),
            Act::Reload(reload) => self.world.reload(&reload),
            Act::Lock(_) => {
                self.world.gate.lock();
                Value::Null
            }
            Act::Close(patience) => {
                self.world.gate.close(Duration::from_millis(patience)).await;
                Value::Null
            }
            Act::Metrics(tool) => self.world.gate.metrics().get(&tool).cloned().unwrap_or_default(),
            Act::Reconcile(old) => self.world.reconcile(old.older_than_ms, old.limit).await,
            Act::Validate(call) => match self.world.gate.validate_args(&call.tool, call.args()) {
                Ok(args) => serde_json::from_str(&args).expect("arguments are JSON"),
                Err(error) => self.told(Err(error)),
            },
            Act::SetState(set) => {
                let set = self.world.session(&set.on).set_state(&set.field, set.value).await;
                set.map_or_else(|error| json!({ "error": error.to_string() }), |()| Value::Null)
            }
            Act::State(on) => self.world.session(&on.on).with_state(|state| json!(state.fields())),
            Act::History(on) => self.history(&on.on),
            Act::ApplyIntent(apply) => {
                let intent = Intent::parse(&apply.intent).unwrap_or_else(|problem| panic!("{problem}"));
                json!(self.world.session(&apply.on).apply_intent(&intent).await)
            }
            Act::Together(_) | Act::Repeat(..) => panic!("not within another act"),
        })
    }

    async fn begin_turn(&mut self, turn: &BeginTurn) -> Value {
        let begun = self.world.session(&turn.on).begin_turn(turn.id.as_deref()).await;
        self.told(begun.map(|TurnBegun { turn, pending_message }| match pending_message {
            None => json!(turn),
            Some(message) => json!({ "turn": turn, "pendingMessage": message }),
        }))
    }

    async fn pending(&mut self, on: &str) -> Value {
        let pending = self.world.session(on).pending().await;
        let mut list = match pending {
            Ok(pending) => json!(pending),
            Err(error) => return self.told(Err(error)),
        };
        for question in list.as_array_mut().into_iter().flatten() {
            let expires = question["expires"].as_u64().expect("epoch milliseconds");
            question["expires"] = json!(self.world.names.instant(expires));
        }
        self.world.names.rename(&mut list);
        list
    }

    async fn grants(&mut self, on: &str) -> Value {
        let mut list = match self.world.session(on).grants().await {
            Ok(grants) => json!(grants),
            Err(error) => return self.told(Err(error)),
        };
        for grant in list.as_array_mut().into_iter().flatten() {
            for member in ["expires", "grantedAt"] {
                let at = grant[member].as_u64().expect("epoch milliseconds");
                grant[member] = json!(self.world.names.instant(at));
            }
        }
        self.world.names.rename(&mut list);
        list
    }

    fn history(&self, on: &str) -> Value {
        let mut changes = self.world.session(on).with_state(|state| json!(state.history().collect::<Vec<_>>()));
        for change in changes.as_array_mut().into_iter().flatten() {
            let at = self.world.names.iso_instant(change["at"].as_str().expect("an instant"));
            change["at"] = json!(at);
        }
        changes
    }

    fn set_workers(&mut self, workers: Workers) -> Value {
        self.busy = match workers {
            Workers::Free => None,
            Workers::Busy => {
                let (free, freed) = mpsc::channel::<()>();
                // Ends when the sender goes, at the latest with the stage.
                drop(tokio::task::spawn_blocking(move || freed.recv().is_ok()));
                Some(free)
            }
        };
        Value::Null
    }

    fn told(&mut self, result: Result<Value, ToolError>) -> Value {
        match result {
            Ok(value) => value,
            Err(error) => {
                let mut error = json!(error);
                terse::tell_error(error.as_object_mut().expect("an object"), &mut self.world.names);
                self.world.names.rename(&mut error);
                json!({ "error": error })
            }
        }
    }
}

fn came_to(started: Started, answered: &mut Vec<Answered>) -> Value {
    match started {
        Started::Done(value) => value,
        Started::Call(serial) => of_serial(serial, answered),
        Started::Calls(serials) => serials.into_iter().map(|serial| of_serial(serial, answered)).collect(),
    }
}

fn of_serial(serial: usize, answered: &mut Vec<Answered>) -> Value {
    match answered.iter().position(|answer| answer.serial == serial) {
        Some(place) => answered.remove(place).answer,
        None => json!("(waiting)"),
    }
}

fn by_name(answered: Vec<Answered>) -> Answers {
    let named = |answer: Answered| {
        let name = answer.name.unwrap_or_else(|| panic!("a call that is answered later needs `as`: {}", answer.answer));
        (name, answer.answer)
    };
    answered.into_iter().map(named).collect()
}

/// An answer as every call of a repetition has it: its number and the names of its values are left out.
fn unnumbered(answer: &Value, n: usize) -> Value {
    let mut text = answer.to_string().replace(&digits(n), "{n}");
    for kind in ["<key ", "<token "] {
        while let Some(start) = text.find(kind) {
            let end = start + text[start..].find('>').expect("a name ends");
            text.replace_range(start..end, kind.trim());
        }
    }
    serde_json::from_str(&text).expect("JSON")
}
