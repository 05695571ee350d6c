//! Audit lines for a JavaScript function.

use napi::bindgen_prelude::FnArgs;
use napi::threadsafe_function::ThreadsafeFunctionCallMode;

use super::executor::WeakCallback;
use crate::observe::audit::AuditSink;

/// Calls the host's function with each line, in order, from the event loop.
pub(super) struct CallbackSink(pub(super) WeakCallback<FnArgs<(String,)>>);

impl AuditSink for CallbackSink {
    fn write(&self, line: String) {
        self.0.call((line,).into(), ThreadsafeFunctionCallMode::NonBlocking);
    }

    /// Lines are queued to the event loop, which is the one that asks: it gets them before anything asked for later.
    fn flush(&self) {}
}
