//! A real Redis server for tests: on a free port, in a folder of its own, ended with the process that started it.

use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Runs the server until its standard input closes: when this process ends, however it ends. Then deletes its folder.
const KEEPER: &str = r#"
folder=$1; shift
"$@" & server=$!; echo "$server"; cat > /dev/null; kill -9 "$server"; wait "$server"; rm -rf "$folder""#;

pub(crate) struct Server {
    pub(crate) url: String,
    /// Holds the pipe that the keeper reads.
    _keeper: Child,
}

/// The address of the server that the tests of this process share; `None`, with a printed line, if none is installed.
pub(crate) fn url() -> Option<String> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(start).as_ref().map(|server| server.url.clone())
}

/// A server that no other test uses; `None`, with a printed line, if none is installed.
pub(crate) fn start() -> Option<Server> {
    if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("skipped: redis-server is not installed");
        assert!(std::env::var_os("CI").is_none(), "CI skips no test: install redis-server");
        return None;
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap().keep();
    let mut keeper = Command::new("sh")
        .args(["-c", KEEPER, "keeper"])
        .arg(&folder)
        .args(["redis-server", "--bind", "127.0.0.1", "--save", "", "--port"])
        .arg(port.to_string())
        .arg("--dir")
        .arg(&folder)
        .arg("--logfile")
        .arg(folder.join("redis.log"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pid = String::new();
    BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut pid).unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "redis-server answers; see {}", folder.display());
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(Server { url: format!("redis://127.0.0.1:{port}/"), _keeper: keeper })
}

/// Drops everything that the server has.
#[allow(dead_code, reason = "not every test that shares this file needs it")]
pub(crate) fn clear(url: &str) {
    let mut server = redis::Client::open(url).unwrap().get_connection().unwrap();
    redis::cmd("FLUSHALL").exec(&mut server).unwrap();
}
