//! How the operating system runs the threads that read and check large texts.

#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "the scheduler has a C interface; the safety argument is at the call")
)]

/// Lets the calling thread take the processor of no thread that runs. Called by each worker as it starts.
///
/// Linux gives a thread that wakes up the processor of the one that runs there, if that one had more time lately. JavaScript's
/// thread, which woke the worker to read a text of 2 MB, then waits up to 5 ms for it, and audio with it. A thread of the policy
/// `SCHED_BATCH` waits for its turn instead, with the same share of the processor (sched(7)). A sandbox may refuse this, which
/// is not an error: the work is done, at a higher cost to JavaScript's thread.
///
/// `nice` values change nothing here, and `SCHED_IDLE` gets hardly any time on a busy machine. The threads of the store and
/// of the audit keep the normal policy, because callers wait for them.
#[cfg(target_os = "linux")]
pub(super) fn interrupt_no_thread() {
    // SAFETY: the structure is plain numbers, for which zeros are valid: a priority of 0, the only one of this policy.
    let no_priority: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: the thread is the calling one, which lives, and the structure is only read.
    let _ = unsafe { libc::pthread_setschedparam(libc::pthread_self(), libc::SCHED_BATCH, &raw const no_priority) };
}

/// Elsewhere threads are left as they are.
#[cfg(not(target_os = "linux"))]
pub(super) fn interrupt_no_thread() {}
