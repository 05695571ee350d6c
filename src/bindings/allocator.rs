//! The memory allocator of the addon, and when it gives free memory back to the operating system.

#![expect(unsafe_code, reason = "the allocator is written in C; the safety argument is at the call")]

use std::sync::atomic::{AtomicU32, Ordering};

use mimalloc::MiMalloc;

/// Schemas, calls and answers are many small allocations, often freed on another thread: the system's allocator would
/// take a third of the load time. Node keeps its own allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The attachments that are released between two collections: some megabytes of memory.
const RELEASES_BETWEEN: u32 = 1024;

static RELEASES: AtomicU32 = AtomicU32::new(0);

/// Counts an attachment that is released, and collects free memory after some of them. The allocator by itself gives memory
/// back only while other memory is allocated: a process whose sessions had all ended would keep theirs. A collection takes
/// one to two milliseconds beside 100,000 live sessions.
pub(super) fn attachment_released() {
    if (RELEASES.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(RELEASES_BETWEEN) {
        // SAFETY: it takes no pointer, and acts on the allocator's own state of the calling thread.
        unsafe { libmimalloc_sys::mi_collect(true) };
    }
}
