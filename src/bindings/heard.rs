//! What the host's listeners are to hear, until JavaScript fetches it: with the next answers, in the same native call that
//! made them ready.

use parking_lot::Mutex;
use serde::Serialize;

use crate::observe::listener::{Listener, Used};

/// Facts that JavaScript has not fetched yet.
#[derive(Default)]
pub(super) struct Heard(Mutex<Vec<(u64, Used)>>);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    tool_id: &'a str,
    call_id: Option<&'a str>,
    turn: u32,
}

impl Heard {
    /// Takes every fact, as `attachment, text, attachment, text, …`.
    pub(super) fn take(&self) -> Vec<String> {
        let heard = std::mem::take(&mut *self.0.lock());
        heard.into_iter().flat_map(|(attachment, used)| [attachment.to_string(), text(&used)]).collect()
    }
}

fn text(used: &Used) -> String {
    let call_id = used.call_id.as_ref().map(crate::call::CallId::as_str);
    let told = Told { tool_id: &used.tool_id, call_id, turn: used.turn };
    serde_json::to_string(&told).unwrap_or_else(|_| "{}".to_owned())
}

impl Listener for Heard {
    fn used(&self, attachment: u64, used: Used) {
        self.0.lock().push((attachment, used));
    }
}
