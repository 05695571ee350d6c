'use strict'

// Exit codes and errors of commands.

/** Documented in docs/cli.md; scripts rely on them. */
const EXIT = { ok: 0, failed: 1, usage: 2 }

/** Wrong usage: the message is one line; the hint corrects it. */
class UsageError extends Error {
  /** @param {string} message @param {string} [hint] */
  constructor(message, hint) {
    super(message)
    this.hint = hint
    this.exitCode = EXIT.usage
  }
}

/** Correct usage, but the command can't do its work. */
class CommandFailure extends Error {
  /** @param {string} message @param {string} [hint] */
  constructor(message, hint) {
    super(message)
    this.hint = hint
    this.exitCode = EXIT.failed
  }
}

module.exports = { CommandFailure, EXIT, UsageError }
