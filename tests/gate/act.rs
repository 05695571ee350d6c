//! What a fixture's steps can do.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate::call::{CallId, RawArgs, RawCall, UserMessage};
use toolgate::gate::Approver;

use super::script::Plan;

/// One step, without what is expected of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Act {
    /// Attaches to a session.
    Attach(Attach),
    /// Begins a turn.
    BeginTurn(BeginTurn),
    /// Makes a call.
    Call(Call),
    /// Asks the question of a call, without running it; null if it asks none.
    Ask(Call),
    /// A user's yes to the question of a call.
    ConfirmCall(Call),
    /// A user's no to the question of a call.
    DenyCall(DenyCall),
    /// Makes calls that belong together.
    Batch(Vec<Call>),
    /// Makes a call from a run of a tool's handler.
    Within(Within),
    /// Several acts at one moment: nothing runs between them but what each starts at once.
    Together(Vec<Act>),
    /// The same call so many times, one after another; `{n}` in its id and its arguments is the number, in four digits.
    /// Answers that are equal but for it and follow each other are listed once, with their count.
    Repeat(usize, Call),
    /// A user's yes.
    Confirm(Answer),
    /// A user's no.
    Deny(Answer),
    /// The questions that wait.
    Pending(On),
    /// What the user has granted.
    Grants(On),
    /// Ends a grant.
    Revoke(Revoke),
    /// Cancels the callers of an id.
    Cancel(Cancel),
    /// Cancels one caller, as the signal of its request does.
    Abort(Abort),
    /// Cancels every caller.
    CancelAll(Cancel),
    /// Leaves the session.
    Detach(On),
    /// Ends the session.
    End(On),
    /// Ends a held run of a tool's handler.
    Settle(Settle),
    /// Lets time pass, in milliseconds.
    Wait(u64),
    /// Keeps the worker threads busy, or frees them.
    Workers(Workers),
    /// Makes the store fail, or work again.
    Store(Store),
    /// Sets a field of the state.
    SetState(SetState),
    /// Reads the state's fields.
    State(On),
    /// Who changed what.
    History(On),
    /// Applies an intent for the host.
    ApplyIntent(ApplyIntent),
    /// Replaces the tool set for sessions to come.
    Reload(Reload),
    /// Takes no reload any more.
    Lock(Nothing),
    /// The process dies, and another takes the same store.
    Restart(Restart),
    /// Checks arguments.
    Validate(Call),
    /// Counters of one tool.
    Metrics(String),
    /// Reconciles the calls that were begun so many milliseconds ago or before.
    Reconcile(ReconcileOld),
    /// Ends the gate, after so many milliseconds at the latest.
    Close(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Workers {
    Busy,
    Free,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Store {
    Fails,
    Works,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Attach {
    /// The attachment's name in this fixture.
    #[serde(default = "main")]
    pub on: String,
    #[serde(default)]
    pub session: Option<String>,
    #[serde(default = "text")]
    pub mode: String,
    #[serde(default)]
    pub principal: Option<String>,
    #[serde(default)]
    pub roles: Vec<String>,
    #[serde(default)]
    pub services: Vec<String>,
    #[serde(default)]
    pub state: Map<String, Value>,
    #[serde(default)]
    pub policy: Option<Value>,
    #[serde(default)]
    pub exclusive: Option<bool>,
    /// Whether the user can be asked.
    #[serde(default)]
    pub can_ask: Option<bool>,
    /// The user's time zone.
    #[serde(default)]
    pub time_zone: Option<String>,
    /// Only a session that exists.
    #[serde(default)]
    pub resume_only: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReconcileOld {
    pub older_than_ms: u64,
    #[serde(default = "hundred")]
    pub limit: usize,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct On {
    #[serde(default = "main")]
    pub on: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginTurn {
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default = "main")]
    pub on: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    pub tool: String,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub args: Option<Value>,
    /// Arguments as text, for what no value can say.
    #[serde(default)]
    pub text: Option<String>,
    /// Arguments of so many bytes: `{"q":"xxx…"}`.
    #[serde(default)]
    pub bytes: Option<usize>,
    /// Arguments nested so deep: `{"q":[[[…]]]}`.
    #[serde(default)]
    pub nested: Option<usize>,
    /// Arguments that are not JSON, and why.
    #[serde(default)]
    pub not_json: Option<String>,
    /// The id of the user's message.
    #[serde(default)]
    pub message: Option<String>,
    /// The same, made of the message's content.
    #[serde(default)]
    pub message_content: Option<String>,
    #[serde(default = "main")]
    pub on: String,
    /// The call's name, where its answer comes in a later step.
    #[serde(default, rename = "as")]
    pub name: Option<String>,
    /// The caller's signal was aborted before the call, for this reason.
    #[serde(default)]
    pub aborted: Option<String>,
}

impl Call {
    pub fn raw(&self) -> RawCall {
        RawCall {
            id: self.id.as_deref().map(CallId::from),
            name: self.tool.clone(),
            args: self.args(),
            message: self.message(),
            waits: false,
        }
    }

    fn message(&self) -> Option<UserMessage> {
        let by_content = self.message_content.as_deref().map(|id| UserMessage { id: id.into(), is_by_content: true });
        by_content.or_else(|| Some(UserMessage { id: self.message.as_deref()?.into(), is_by_content: false }))
    }

    /// The same call with its number in it.
    pub fn numbered(&self, n: usize) -> Self {
        let put = |text: &str| text.replace("{n}", &digits(n));
        let args = self.args.as_ref().map(|args| serde_json::from_str(&put(&args.to_string())).expect("JSON"));
        Self { id: self.id.as_deref().map(put), args, ..self.clone() }
    }

    pub fn args(&self) -> RawArgs {
        if let Some(problem) = &self.not_json {
            return RawArgs::NotJson(format!("the arguments can't be written as JSON: {problem}"));
        }
        RawArgs::Text(match (&self.text, self.bytes, self.nested, &self.args) {
            (Some(text), ..) => text.clone(),
            (_, Some(bytes), ..) => format!("{{\"q\":\"{}\"}}", "x".repeat(bytes - 8)),
            (_, _, Some(deep), _) => format!("{{\"q\":{}{}}}", "[".repeat(deep), "]".repeat(deep)),
            (.., Some(args)) => args.to_string(),
            (.., None) => String::new(),
        })
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    pub token: String,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default = "main")]
    pub on: String,
    #[serde(default, rename = "as")]
    pub name: Option<String>,
    /// The caller's signal was aborted before, for this reason.
    #[serde(default)]
    pub aborted: Option<String>,
    /// The arguments that the user wants instead.
    #[serde(default)]
    pub edited: Option<Value>,
    /// What the user grants with it.
    #[serde(default)]
    pub grant: Option<Value>,
    /// Who answers in place of the session's user: a principal and its roles.
    #[serde(default, deserialize_with = "approver")]
    pub approver: Option<Approver>,
}

fn approver<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Approver>, D::Error> {
    let (principal, roles) = Deserialize::deserialize(from)?;
    Ok(Some(Approver { principal, roles }))
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revoke {
    /// The grant's name.
    pub grant: String,
    #[serde(default = "main")]
    pub on: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DenyCall {
    /// The call's id.
    pub id: String,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default = "main")]
    pub on: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    #[serde(default)]
    pub id: String,
    #[serde(default = "user")]
    pub reason: String,
    #[serde(default = "main")]
    pub on: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Abort {
    /// The name of a call that waits.
    pub call: String,
    #[serde(default = "user")]
    pub reason: String,
    #[serde(default = "main")]
    pub on: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settle {
    pub tool: String,
    #[serde(default = "first")]
    pub run: usize,
    #[serde(default = "echo")]
    pub with: Plan,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Within {
    /// The tool whose handler calls.
    pub tool: String,
    #[serde(default = "first")]
    pub run: usize,
    pub call: Call,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetState {
    pub field: String,
    pub value: Value,
    #[serde(default = "main")]
    pub on: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApplyIntent {
    pub intent: Value,
    #[serde(default = "main")]
    pub on: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reload {
    pub version: String,
    pub tools: Map<String, Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Restart {
    /// What the new process loads; absent: the same as the old one.
    #[serde(default)]
    pub load: Option<Reload>,
}

/// A number as it stands in a repeated call.
pub fn digits(n: usize) -> String {
    format!("{n:04}")
}

fn main() -> String {
    "main".to_owned()
}

fn text() -> String {
    "text".to_owned()
}

fn user() -> String {
    "user".to_owned()
}

fn echo() -> Plan {
    Plan::Echo
}

const fn hundred() -> usize {
    100
}

const fn first() -> usize {
    1
}
