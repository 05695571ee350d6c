//! Stack space for deep values: the validator recurses with value and schema, and a stack overflow ends the process.

/// Stack bytes reserved for one level of recursion: several times the use measured in an unoptimised build.
const STACK_PER_LEVEL: usize = 4 << 10;

/// Stack bytes that every thread is assumed to have left: Rust threads have 2 MiB, Node workers 4, its main thread
/// usually 8.
const GUARANTEED_STACK: usize = 1 << 20;

/// Runs `run` with stack for `levels` levels of recursion, on a new thread if this thread may have too little. Returns
/// `None` if that thread can't be started or panics.
pub(super) fn with_stack_for<T: Send>(levels: usize, run: impl FnOnce() -> T + Send) -> Option<T> {
    let needed = levels.saturating_mul(STACK_PER_LEVEL);
    if needed <= GUARANTEED_STACK {
        return Some(run());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(needed.saturating_add(GUARANTEED_STACK));
        thread.spawn_scoped(scope, run).ok()?.join().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recurse(levels: usize) -> usize {
        let frame = std::hint::black_box([levels; 64]);
        if levels == 0 { 0 } else { recurse(levels - 1) + frame.iter().filter(|level| **level == levels).count() / 64 }
    }

    #[test]
    fn deep_recursion_gets_its_own_stack() {
        assert_eq!(with_stack_for(100_000, || recurse(100_000)), Some(100_000));
    }

    #[test]
    fn shallow_recursion_stays_on_this_thread() {
        let here = std::thread::current().id();
        assert_eq!(with_stack_for(10, || std::thread::current().id()), Some(here));
        assert_ne!(with_stack_for(1000, || std::thread::current().id()), Some(here));
    }
}
