//! A real Postgres server for tests: on a free port, in a folder of its own, ended with the process that started it.

use std::fs::read_dir;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Runs the server until its standard input closes: when this process ends, however it ends. Then deletes its folder. The server
/// does not run as root.
const KEEPER: &str = r#"
folder=$1 port=$2 bin=$3; shift 3; user=
if [ "$(id -u)" = 0 ]; then
  chown postgres "$folder"; user="setpriv --reuid=postgres --regid=postgres --clear-groups --"
fi
cd "$folder"
$user "$bin/initdb" -D data -U postgres -A trust -E UTF8 --locale=C > initdb.log 2>&1 || exit 1
$user "$bin/postgres" -D data -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories= "$@" > log 2>&1 &
server=$!; echo "$server"; cat > /dev/null; kill -QUIT "$server"; wait "$server"
cd /; rm -rf "$folder""#;

pub(crate) struct Server {
    pub(crate) url: String,
    /// Holds the pipe that the keeper reads.
    _keeper: Child,
}

/// The address of the server that the tests of this process share; `None`, with a printed line, if none is installed.
pub(crate) fn url() -> Option<String> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    // It ends with this process, and nothing reads its folder later: it need not wait for the disk.
    SERVER.get_or_init(|| start(&["-c", "fsync=off"])).as_ref().map(|server| server.url.clone())
}

/// The shared server's address with a schema that no other test uses.
#[allow(dead_code, reason = "not every test that shares this file needs it")]
pub(crate) fn url_of_new_schema() -> Option<String> {
    static SCHEMAS: AtomicU32 = AtomicU32::new(0);
    let number = SCHEMAS.fetch_add(1, Ordering::Relaxed);
    url().map(|url| format!("{url}?schema=test_{number}"))
}

/// A server that no other test uses, with further arguments; `None`, with a printed line, if none is installed.
pub(crate) fn start(arguments: &[&str]) -> Option<Server> {
    let Some(programs) = programs() else {
        println!("skipped: postgres is not installed");
        assert!(std::env::var_os("CI").is_none(), "CI skips no test: install postgresql");
        return None;
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap().keep();
    let mut keeper = Command::new("sh")
        .args(["-c", KEEPER, "keeper"])
        .arg(&folder)
        .arg(port.to_string())
        .arg(&programs)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pid = String::new();
    BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut pid).unwrap();
    let until = Instant::now() + Duration::from_mins(1);
    while !is_ready(&programs, port) {
        assert!(Instant::now() < until, "postgres answers; see {}", folder.display());
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(Server { url: format!("postgres://postgres@127.0.0.1:{port}/postgres"), _keeper: keeper })
}

fn is_ready(programs: &Path, port: u16) -> bool {
    let mut command = Command::new(programs.join("pg_isready"));
    command.args(["-q", "-h", "127.0.0.1", "-p"]).arg(port.to_string());
    command.status().is_ok_and(|status| status.success())
}

/// The folder with `postgres` and `initdb`: Debian has one for each version, which is not in the path.
fn programs() -> Option<PathBuf> {
    let versions =
        read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|found| found.path().join("bin"));
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&in_path).chain(versions).collect();
    // A shortcut to `postgres` alone is not enough.
    folders.retain(|folder| folder.join("postgres").exists() && folder.join("pg_isready").exists());
    folders.into_iter().find(|folder| folder.join("initdb").exists())
}
