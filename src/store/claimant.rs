//! The process that holds a claim. If it runs on this machine, its death ends the claim at once, not with the lease.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

/// A process, as it can be found again by another process of its machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimant {
    /// The machine since it was started, and the namespaces of its process ids and of its clock: containers have their own.
    #[serde(rename = "m")]
    machine: u64,
    #[serde(rename = "p")]
    process: i32,
    /// When the process was started, in ticks of the machine: ids of processes come again.
    #[serde(rename = "s")]
    started: u64,
}

impl Claimant {
    /// This process. `None` on a system that does not say for certain whether another one has died: there, a lease ends a claim.
    #[must_use]
    pub fn this_process() -> Option<Self> {
        static THIS: OnceLock<Option<Claimant>> = OnceLock::new();
        *THIS.get_or_init(system::this_process)
    }

    /// A process of this machine that has ended.
    #[cfg(test)]
    pub(crate) fn dead_process() -> Option<Self> {
        let mut child = std::process::Command::new("true").spawn().ok()?;
        let process = i32::try_from(child.id()).ok()?;
        child.wait().ok()?;
        Some(Self { process, started: 1, ..Self::this_process()? })
    }

    /// A child of this process.
    #[cfg(test)]
    pub(super) fn of_child(child: &std::process::Child) -> Option<Self> {
        let process = i32::try_from(child.id()).ok()?;
        Some(Self { process, started: system::start_of(process)?, ..Self::this_process()? })
    }

    /// Whether the process is another one of this machine, and is there. False wherever it is not certain.
    #[must_use]
    pub(super) fn is_another_that_lives(self) -> bool {
        Self::this_process().is_some_and(|this| self != this && self.machine == this.machine && !system::is_gone(self))
    }

    /// Whether the process ran on this machine and is gone. False for one of another machine, and wherever it is not
    /// certain.
    #[must_use]
    pub(super) fn has_died(self) -> bool {
        Self::this_process().is_some_and(|this| self != this && self.machine == this.machine && system::is_gone(self))
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;

    use rustix::io::Errno;
    use rustix::process::{Pid, getpid, test_kill_process};
    use sha2::{Digest, Sha256};

    use super::Claimant;

    pub(super) fn this_process() -> Option<Claimant> {
        let process = getpid().as_raw_nonzero().get();
        // A file system of processes that shows others than this one's is of another namespace.
        let is_own = fs::read_link("/proc/self").ok()?.to_str() == Some(&*process.to_string());
        is_own.then(machine)?.zip(look_at(process)).map(|(machine, seen)| Claimant {
            machine,
            process,
            started: seen.started,
        })
    }

    /// Gone is an id that no process has, one that has ended and is not waited for, or another one that was started later. A
    /// process that may not be looked at is not gone.
    pub(super) fn is_gone(claimant: Claimant) -> bool {
        // What a store holds may be anything; a number that is not positive names a group of processes.
        let Some(process) = Some(claimant.process).filter(|id| *id > 0).and_then(Pid::from_raw) else { return false };
        if test_kill_process(process) == Err(Errno::SRCH) {
            return true;
        }
        let seen = look_at(claimant.process);
        seen.is_some_and(|seen| seen.started != claimant.started || seen.has_ended)
    }

    #[cfg(test)]
    pub(super) fn start_of(process: i32) -> Option<u64> {
        Some(look_at(process)?.started)
    }

    fn machine() -> Option<u64> {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let processes = fs::read_link("/proc/self/ns/pid").ok()?;
        // The start of a process is counted from the boot of its reader's clock. Older systems have one clock only.
        let clock = fs::read_link("/proc/self/ns/time").unwrap_or_default();
        let namespaces = [&processes, &clock].map(|namespace| namespace.as_os_str().as_encoded_bytes());
        let name = rustix::system::uname();
        let digest =
            Sha256::digest([boot.trim().as_bytes(), namespaces[0], namespaces[1], name.nodename().to_bytes()].join(&0));
        Some(u64::from_le_bytes(*digest.first_chunk()?))
    }

    /// A process as the system shows it.
    pub(super) struct SeenProcess {
        pub(super) started: u64,
        /// Whether all of its threads have ended, and its parent has not waited for it.
        has_ended: bool,
    }

    /// Reads the third and the 22nd field of `/proc/<pid>/stat`. The second is the program's name in parentheses, which may
    /// have any characters.
    pub(super) fn look_at(process: i32) -> Option<SeenProcess> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_whitespace();
        let (state, started) = (fields.next()?, fields.nth(18)?.parse().ok()?);
        // The first thread may end before the others.
        let is_last = || fs::read_dir(format!("/proc/{process}/task")).is_ok_and(|threads| threads.count() <= 1);
        Some(SeenProcess { started, has_ended: matches!(state, "Z" | "X") && is_last() })
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Claimant;

    pub(super) const fn this_process() -> Option<Claimant> {
        None
    }

    pub(super) const fn is_gone(_: Claimant) -> bool {
        false
    }

    #[cfg(test)]
    pub(super) const fn start_of(_: i32) -> Option<u64> {
        None
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn with(process: i32, started: u64) -> Claimant {
        Claimant { process, started, ..Claimant::this_process().unwrap() }
    }

    #[test]
    fn a_running_process_is_not_gone_and_a_dead_one_is() {
        let this = Claimant::this_process().unwrap();
        assert!(!this.has_died());
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        let started = system::look_at(id).unwrap().started;
        assert!(!with(id, started).has_died() && with(id, started).is_another_that_lives(), "it runs");
        assert!(!this.is_another_that_lives());
        assert!(with(id, started - 1).has_died(), "its id was another process' before");
        child.kill().unwrap();
        let killed = with(id, started);
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while !killed.has_died() && std::time::Instant::now() < until {
            std::thread::yield_now();
        }
        assert!(killed.has_died(), "it was killed, and is not waited for");
        child.wait().unwrap();
        assert!(killed.has_died(), "it is waited for");
    }

    #[test]
    fn a_process_of_another_machine_is_never_gone() {
        let this = Claimant::this_process().unwrap();
        let elsewhere = Claimant { machine: this.machine ^ 1, process: i32::MAX, started: 1 };
        assert!(!elsewhere.has_died());
        assert!(with(i32::MAX, 1).has_died(), "the control");
        assert!(!with(-1, 1).has_died() && !with(0, 1).has_died(), "no process, but a group of them");
    }
}
