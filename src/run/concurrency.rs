//! The concurrency limits of a session: how many calls run at once, in all and per tool, and the bounded queue of
//! waiting calls.
//!
//! Waiting calls get their slots first come, first served, as far as they fit: a call whose tool is busy does not hold
//! up another tool's calls. After every change no waiting call would fit, so a new call that fits overtakes no call
//! that could have run before it.
//!
//! A slot is released when it is dropped, and it is dropped on every way out: no wake-up is lost.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::registry::CompiledTool;

/// The limits of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConcurrencyLimits {
    /// Calls that may run at once.
    pub session: usize,
    /// Calls of one tool that may run at once; 1 for a tool with `parallel: false`.
    pub tool: usize,
    /// Calls that may wait.
    pub queue: usize,
    /// The longest wait for a slot.
    pub queue_timeout: Duration,
}

impl Default for ConcurrencyLimits {
    fn default() -> Self {
        Self { session: 64, tool: 32, queue: 1000, queue_timeout: Duration::from_secs(10) }
    }
}

/// The owner of the slot that a call takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotOwner {
    /// The call itself: one of the session's slots.
    Call,
    /// The parent call: a nested call runs in its parent's slot and takes none of the session's, or parents that wait
    /// for their nested calls could hold every slot. Only a tool with `parallel: false` still makes it wait.
    Parent,
}

/// A request for a slot.
#[derive(Debug, Clone)]
pub struct SlotRequest {
    taken: CountedAgainst,
    /// The tool's own limit, if it has one.
    cap: Option<usize>,
}

impl SlotRequest {
    /// The request of a call of `tool`.
    #[must_use]
    pub fn for_tool(tool: &CompiledTool, owner: SlotOwner) -> Self {
        Self::new(&tool.id, if tool.definition.parallel { Overlap::Allowed } else { Overlap::Never }, owner)
    }

    fn new(tool: &Arc<str>, overlap: Overlap, owner: SlotOwner) -> Self {
        match (owner, overlap) {
            (SlotOwner::Call, Overlap::Allowed) => {
                Self { taken: CountedAgainst::SessionAndTool(Arc::clone(tool)), cap: None }
            }
            (SlotOwner::Call, Overlap::Never) => {
                Self { taken: CountedAgainst::SessionAndTool(Arc::clone(tool)), cap: Some(1) }
            }
            (SlotOwner::Parent, Overlap::Never) => {
                Self { taken: CountedAgainst::ToolOnly(Arc::clone(tool)), cap: Some(1) }
            }
            (SlotOwner::Parent, Overlap::Allowed) => Self { taken: CountedAgainst::Nothing, cap: None },
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Overlap {
    Allowed,
    Never,
}

/// The limits that a running call counts against.
#[derive(Debug, Clone, PartialEq, Eq)]
enum CountedAgainst {
    SessionAndTool(Arc<str>),
    ToolOnly(Arc<str>),
    Nothing,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    request: SlotRequest,
    grant: oneshot::Sender<Slot>,
}

#[derive(Debug, Default)]
struct ConcurrencyState {
    running: usize,
    /// Running calls per tool. Few tools run at once: a list is faster than a map.
    by_tool: Vec<(Arc<str>, usize)>,
    waiting: VecDeque<Waiter>,
    next_number: u64,
}

/// The running and waiting calls of one session.
#[derive(Debug)]
pub struct Concurrency {
    limits: ConcurrencyLimits,
    state: Mutex<ConcurrencyState>,
}

/// The answer to a request for a slot.
#[derive(Debug)]
pub enum SlotGrant {
    /// The call runs now.
    Now(Slot),
    /// The call waits.
    Queued(QueuedSlot),
}

impl SlotGrant {
    /// Whether the call begins without waiting for a slot.
    #[must_use]
    pub const fn begins_at_once(&self) -> bool {
        matches!(self, Self::Now(_))
    }
}

/// The right to run, released when it is dropped.
#[derive(Debug)]
pub struct Slot {
    concurrency: Arc<Concurrency>,
    taken: CountedAgainst,
}

/// A place in the queue. Resolves to the slot; leaves the queue when it is dropped.
#[derive(Debug)]
pub struct QueuedSlot {
    concurrency: Arc<Concurrency>,
    number: u64,
    granted: oneshot::Receiver<Slot>,
}

impl Concurrency {
    /// The limits of a session in which no call runs.
    #[must_use]
    pub fn new(limits: ConcurrencyLimits) -> Arc<Self> {
        Arc::new(Self { limits, state: Mutex::default() })
    }

    /// The longest wait for a slot.
    #[must_use]
    pub const fn queue_timeout(&self) -> Duration {
        self.limits.queue_timeout
    }

    /// The number of waiting calls if this request would have to wait and the queue is full; else `None`.
    #[must_use]
    pub fn queued_if_full(&self, request: &SlotRequest) -> Option<usize> {
        let state = self.state.lock();
        let waiting = state.waiting.len();
        (waiting >= self.limits.queue && !self.fits(&state, request)).then_some(waiting)
    }

    /// Takes a slot, or a place at the end of the queue. Does not check whether the queue is full.
    #[must_use]
    pub fn request(self: &Arc<Self>, request: SlotRequest) -> SlotGrant {
        let mut state = self.state.lock();
        if self.fits(&state, &request) {
            state.take(&request.taken);
            return SlotGrant::Now(Slot { concurrency: Arc::clone(self), taken: request.taken });
        }
        let (grant, granted) = oneshot::channel();
        let number = state.next_number;
        state.next_number += 1;
        state.waiting.push_back(Waiter { number, request, grant });
        SlotGrant::Queued(QueuedSlot { concurrency: Arc::clone(self), number, granted })
    }

    fn fits(&self, state: &ConcurrencyState, request: &SlotRequest) -> bool {
        let cap = request.cap.unwrap_or(self.limits.tool).max(1);
        match &request.taken {
            CountedAgainst::SessionAndTool(tool) => {
                state.running < self.limits.session.max(1) && state.count_of_tool(tool) < cap
            }
            CountedAgainst::ToolOnly(tool) => state.count_of_tool(tool) < cap,
            CountedAgainst::Nothing => true,
        }
    }

    fn release(self: &Arc<Self>, taken: &CountedAgainst) {
        let mut granted = Vec::new();
        {
            let mut state = self.state.lock();
            state.give_back(taken);
            let mut place = 0;
            while let Some(waiter) = state.waiting.get(place) {
                if !self.fits(&state, &waiter.request) {
                    place += 1;
                } else if let Some(Waiter { request, grant, .. }) = state.waiting.remove(place) {
                    state.take(&request.taken);
                    granted.push((grant, Slot { concurrency: Arc::clone(self), taken: request.taken }));
                }
            }
        }
        for (grant, slot) in granted {
            // If the receiver is gone, the slot is dropped, and thereby released, here: outside of the lock.
            let _ = grant.send(slot);
        }
    }
}

impl ConcurrencyState {
    fn count_of_tool(&self, tool: &Arc<str>) -> usize {
        self.by_tool.iter().find(|(known, _)| known == tool).map_or(0, |(_, count)| *count)
    }

    fn take(&mut self, taken: &CountedAgainst) {
        self.running += usize::from(matches!(taken, CountedAgainst::SessionAndTool(_)));
        if let CountedAgainst::SessionAndTool(tool) | CountedAgainst::ToolOnly(tool) = taken {
            match self.by_tool.iter_mut().find(|(known, _)| known == tool) {
                Some((_, count)) => *count += 1,
                None => self.by_tool.push((Arc::clone(tool), 1)),
            }
        }
    }

    fn give_back(&mut self, taken: &CountedAgainst) {
        self.running -= usize::from(matches!(taken, CountedAgainst::SessionAndTool(_)));
        if let CountedAgainst::SessionAndTool(tool) | CountedAgainst::ToolOnly(tool) = taken
            && let Some(place) = self.by_tool.iter().position(|(known, _)| known == tool)
            && let Some((_, count)) = self.by_tool.get_mut(place)
        {
            *count -= 1;
            if *count == 0 {
                self.by_tool.swap_remove(place);
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.taken != CountedAgainst::Nothing {
            self.concurrency.release(&self.taken);
        }
    }
}

impl Future for QueuedSlot {
    type Output = Slot;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Slot> {
        match Pin::new(&mut self.granted).poll(context) {
            Poll::Ready(Ok(slot)) => Poll::Ready(slot),
            // The sender stays in the queue until it is used: `Err` does not happen.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for QueuedSlot {
    fn drop(&mut self) {
        self.concurrency.state.lock().waiting.retain(|waiter| waiter.number != self.number);
    }
}

#[cfg(test)]
mod tests;
