'use strict'

// How commands end: exit codes, and what is said where a command can't do its work.

/** Documented in docs/cli.md; scripts rely on them. */
const EXIT = { ok: 0, failed: 1, usage: 2 }

/** The command was called wrongly: one line, with what would be right. */
class UsageError extends Error {
  /** @param {string} message @param {string} [hint] */
  constructor(message, hint) {
    super(message)
    this.hint = hint
    this.exitCode = EXIT.usage
  }
}

/** The command was called rightly and can't do its work. */
class CommandFailure extends Error {
  /** @param {string} message @param {string} [hint] */
  constructor(message, hint) {
    super(message)
    this.hint = hint
    this.exitCode = EXIT.failed
  }
}

module.exports = { CommandFailure, EXIT, UsageError }
