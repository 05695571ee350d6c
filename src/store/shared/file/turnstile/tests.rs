//! The order of writers, and what happens to the turn of a process that ends or stops.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use parking_lot::Mutex;

use super::super::tests::attach;
use super::super::{SharedOptions, open};
use super::*;
use crate::store::attaching::TurnStarter;
use crate::store::{Store, StoreRequests};

/// Longer than a test runs.
const NEVER: Duration = Duration::from_hours(1);
/// Names the session file to a process of [`holds_a_turn_until_it_is_killed`].
const HELD_FILE: &str = "TOOLGATE_TEST_HELD_FILE";

/// A lock file that is only looked at.
fn lock_file(path: &Path, suffix: &str) -> File {
    open_lock_file(&place::beside(path, suffix)).unwrap()
}

fn is_locked(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => {
            file.unlock().unwrap();
            false
        }
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(error)) => panic!("{error}"),
    }
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        thread::yield_now();
    }
}

/// A folder with the path of a session file.
fn place() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.sqlite");
    (folder, path)
}

#[test]
fn two_writers_alternate_while_both_have_work() {
    const TURNS: usize = 200;
    let (_folder, path) = place();
    let order = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for writer in ["a", "b"] {
            let (order, path) = (&order, &path);
            scope.spawn(move || {
                let mut turnstile = Turnstile::open(path, NEVER);
                let queue = lock_file(path, "-queue");
                for _ in 0..TURNS {
                    let turn = turnstile.take().unwrap();
                    order.lock().push(writer);
                    // Until the other one waits, or has made all of its turns.
                    wait_until(|| {
                        is_locked(&queue) || order.lock().iter().filter(|it| **it != writer).count() == TURNS
                    });
                    drop(turn);
                }
            });
        }
    });
    let order = order.into_inner();
    let hand_overs = order.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert_eq!((order.len(), hand_overs), (2 * TURNS, 2 * TURNS - 1), "{order:?}");
}

#[tokio::test]
async fn a_store_waits_for_its_turn_to_write_and_gives_it_back() {
    let (_folder, path) = place();
    let store = open(&path, SharedOptions { operation_timeout: NEVER, ..SharedOptions::default() }).unwrap();
    attach(&store, "s", 1).await;
    let (queue, turn) = (lock_file(&path, "-queue"), lock_file(&path, "-turn"));
    for _ in 0..3 {
        turn.lock().unwrap();
        let session = "s".into();
        let begun = store.begin_turn(&session, None, TurnStarter::Host, 0, 1);
        wait_until(|| is_locked(&queue));
        turn.unlock().unwrap();
        begun.await.unwrap();
        // The store replies first.
        wait_until(|| !is_locked(&turn) && !is_locked(&queue));
    }
    store.close().await.unwrap();
}

/// Not a test of its own: the process that the next test kills.
#[test]
fn holds_a_turn_until_it_is_killed() {
    let Some(path) = std::env::var_os(HELD_FILE) else { return };
    let _turn = Turnstile::open(Path::new(&path), NEVER).take().unwrap();
    println!("\nit is held");
    loop {
        thread::park();
    }
}

/// Starts a process that holds the turn.
fn start_holder(path: &Path) -> Child {
    let name = "store::shared::file::turnstile::tests::holds_a_turn_until_it_is_killed";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture"]).env(HELD_FILE, path).stdout(Stdio::piped());
    let mut holder = command.spawn().unwrap();
    let said = BufReader::new(holder.stdout.take().unwrap());
    assert!(said.lines().any(|line| line.unwrap() == "it is held"));
    holder
}

#[test]
fn a_killed_process_leaves_its_turn() {
    let (_folder, path) = place();
    let mut holder = start_holder(&path);
    let mut turnstile = Turnstile::open(&path, NEVER);
    assert!(is_locked(&lock_file(&path, "-turn")));
    let queue = lock_file(&path, "-queue");
    thread::scope(|scope| {
        let waiting = scope.spawn(|| turnstile.take().is_some());
        wait_until(|| is_locked(&queue));
        holder.kill().unwrap();
        assert!(waiting.join().unwrap());
    });
    holder.wait().unwrap();
}

#[tokio::test]
async fn a_process_that_keeps_its_turn_stops_no_one() {
    let (_folder, path) = place();
    let mut holder = start_holder(&path);
    let store = open(&path, SharedOptions::default()).unwrap();
    assert!(attach(&store, "s", 1).await.created);
    // Without waiting again.
    let mut turnstile = Turnstile::open(&path, Duration::ZERO);
    assert!(turnstile.take().is_none());
    turnstile.timeout = NEVER;
    assert!(turnstile.take().is_none());
    store.close().await.unwrap();
    holder.kill().unwrap();
    holder.wait().unwrap();
}

#[test]
fn a_place_without_locks_has_no_turns() {
    let (folder, path) = place();
    std::fs::create_dir(folder.path().join("sessions.sqlite-turn")).unwrap();
    assert!(Turnstile::open(&path, NEVER).take().is_none());
}
