//! The memory allocator of the addon, and when it gives free memory back to the operating system.

#![expect(unsafe_code, reason = "the allocator is written in C; the safety arguments are at the calls")]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicU32, Ordering};

use libmimalloc_sys as mimalloc;

/// Schemas, calls and answers are many small allocations, often freed on another thread: the system's allocator would
/// take a third of the load time. Node keeps its own allocator.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

struct Allocator;

/// The alignment that a block has by itself if it is as large, as C asks of `malloc`.
const NATURAL_ALIGN: usize = 16;

/// Whether a block of this layout is aligned without being asked for an alignment: that would take as long as the allocation.
const fn is_natural(layout: Layout) -> bool {
    layout.align() <= NATURAL_ALIGN && layout.align() <= layout.size()
}

// SAFETY: each function passes what it gets to the function of the allocator that has its contract, with the size and the
// alignment of the layout; `is_natural` says when the alignment need not be passed. All free the same blocks.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let block = if is_natural(layout) {
            unsafe { mimalloc::mi_malloc(layout.size()) }
        } else {
            unsafe { mimalloc::mi_malloc_aligned(layout.size(), layout.align()) }
        };
        block.cast()
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { mimalloc::mi_zalloc_aligned(layout.size(), layout.align()) }.cast()
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        unsafe { mimalloc::mi_free(block.cast()) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        unsafe { mimalloc::mi_realloc_aligned(block.cast(), size, layout.align()) }.cast()
    }
}

/// The attachments that are released between two collections: some megabytes of memory.
const RELEASES_BETWEEN: u32 = 1024;

static RELEASES: AtomicU32 = AtomicU32::new(0);

/// Counts an attachment that is released, and collects free memory after some of them. The allocator by itself gives memory
/// back only while other memory is allocated: a process whose sessions had all ended would keep theirs. A collection takes
/// one to two milliseconds beside 100,000 live sessions.
pub(super) fn attachment_released() {
    if (RELEASES.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(RELEASES_BETWEEN) {
        // SAFETY: it takes no pointer, and acts on the allocator's own state of the calling thread.
        unsafe { mimalloc::mi_collect(true) };
    }
}
