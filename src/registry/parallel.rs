//! A parallel map with a bounded number of threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The number of items that justifies one more thread.
const ITEMS_PER_THREAD: usize = 16;

/// The maximum of threads; more would contend for memory.
const MAX_THREADS: usize = 8;

/// The stack of a thread, equal to a main thread's usual stack: compiling recurses as deep as schemas are nested.
const STACK_BYTES: usize = 8 << 20;

/// Returns the results of `produce` for each number below `count`, in order. The current thread works as well, so it
/// also works if no thread can be started. Numbers for which `produce` returns `None`, or panics on another thread, are
/// omitted.
pub(super) fn map_in_parallel<T: Send>(count: usize, produce: impl Fn(usize) -> Option<T> + Sync) -> Vec<T> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let helpers = (count / ITEMS_PER_THREAD).min(cores).min(MAX_THREADS).saturating_sub(1);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return made;
            }
            made.extend(produce(number).map(|thing| (number, thing)));
        }
    };
    let mut made = thread::scope(|scope| {
        let helper = || thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        let helpers: Vec<_> = (0..helpers).map_while(|_| helper().ok()).collect();
        let mut made = work();
        made.extend(helpers.into_iter().filter_map(|helper| helper.join().ok()).flatten());
        made
    });
    made.sort_unstable_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, thing)| thing).collect()
}

#[cfg(test)]
mod tests {
    use std::panic::resume_unwind;

    use super::*;

    #[test]
    fn everything_is_made_once_and_stands_in_its_order() {
        for count in [0, 1, ITEMS_PER_THREAD, 1000] {
            assert_eq!(
                map_in_parallel(count, |number| Some(number * 2)),
                (0..count).map(|number| number * 2).collect::<Vec<_>>()
            );
        }
        assert_eq!(map_in_parallel(5, |number| (number != 3).then_some(number)), [0, 1, 2, 4]);
    }

    #[test]
    fn a_thread_that_breaks_off_takes_its_own_along_and_nothing_else() {
        let here = thread::current().id();
        let made = map_in_parallel(1000, |number| {
            if thread::current().id() != here {
                resume_unwind(Box::new("broken off"));
            }
            Some(number)
        });
        assert!(made.is_sorted() && made.len() <= 1000);
        assert!(made.len() >= 1000 - MAX_THREADS, "{}", made.len());
    }
}
