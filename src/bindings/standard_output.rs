//! Standard output for one purpose: what else writes to its descriptor reaches standard error.

#[cfg(unix)]
use std::os::fd::IntoRawFd;

use napi_derive::napi;

#[cfg(unix)]
use super::misuse;

/// Gives the descriptor of standard output to standard error, for libraries, threads and child processes that write to it.
/// Returns the descriptor under which standard output goes on, which no child process inherits.
#[cfg(unix)]
#[napi(catch_unwind)]
pub fn take_standard_output() -> napi::Result<Option<i32>> {
    let failed = |error| misuse(format!("standard output can't be moved: {error}"));
    let taken = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3).map_err(failed)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr()).map_err(failed)?;
    Ok(Some(taken.into_raw_fd()))
}

/// Other systems: standard output is not moved.
#[cfg(not(unix))]
#[napi(catch_unwind)]
pub fn take_standard_output() -> napi::Result<Option<i32>> {
    Ok(None)
}
