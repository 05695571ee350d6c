//! The destination of a writer's lines.

use std::io::{self, Write};

/// The destination of a writer's lines.
pub(super) trait LineOutput: Send + 'static {
    /// Writes a line, which ends with its line break.
    fn write_line(&mut self, line: &str) -> io::Result<()>;
    /// Waits until all lines are where they stay.
    fn sync(&mut self) -> io::Result<()>;
}

impl LineOutput for io::Stdout {
    fn write_line(&mut self, line: &str) -> io::Result<()> {
        self.write_all(line.as_bytes())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.flush()
    }
}
