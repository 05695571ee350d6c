//! Stack for deep values: the validator recurses with value and schema, and overflowing the stack ends the process.

/// What one level of recursion may take, in bytes: several times what was seen in an unoptimised build.
const PER_LEVEL: usize = 4 << 10;

/// What any thread has left for us: Rust's threads have 2 MiB, Node's workers 4, its main thread usually 8.
const EVERYWHERE: usize = 1 << 20;

/// Runs `run` with stack for so many levels, on a thread of its own where that may not be left on this one; `None` where
/// the system gives no such thread.
pub(super) fn with_room<T: Send>(levels: usize, run: impl FnOnce() -> T + Send) -> Option<T> {
    let needed = levels.saturating_mul(PER_LEVEL);
    if needed <= EVERYWHERE {
        return Some(run());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(needed.saturating_add(EVERYWHERE));
        thread.spawn_scoped(scope, run).ok()?.join().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(levels: usize) -> usize {
        let frame = std::hint::black_box([levels; 64]);
        if levels == 0 { 0 } else { deep(levels - 1) + frame.iter().filter(|level| **level == levels).count() / 64 }
    }

    #[test]
    fn more_than_a_thread_has_is_given() {
        assert_eq!(with_room(100_000, || deep(100_000)), Some(100_000));
    }

    #[test]
    fn little_runs_here() {
        let here = std::thread::current().id();
        assert_eq!(with_room(10, || std::thread::current().id()), Some(here));
        assert_ne!(with_room(1000, || std::thread::current().id()), Some(here));
    }
}
