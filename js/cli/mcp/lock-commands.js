'use strict'

// The subcommands of `toolgate mcp` that write the lock: their words. What they do is in lock.js.

const { constants } = require('node:os')

/** @type {{ usage: string, does: 'lock' | 'diff' | 'approve', summary: string, description: string }[]} */
const LOCK_COMMANDS = [
  {
    usage: 'lock [sources...]',
    does: 'lock',
    summary: 'pin what the servers in sources/ publish',
    description: `Connects to the servers of sources/*.json and writes toolgate.lock.json: the tools of a source that is not locked yet, and the
present policies of the others. What a locked server has changed waits for \`approve\`, and the command exits with 1.`,
  },
  {
    usage: 'diff [sources...]',
    does: 'diff',
    summary: 'show how the servers differ from the lock',
    description: 'Connects to the servers and prints what is new, gone or changed. Exits with 1 if anything is.',
  },
  {
    usage: 'approve <names...>',
    does: 'approve',
    summary: 'agree to what servers publish now',
    description:
      'Locks the present definitions of the named tools, such as `fs/write_file`, or of a whole source, such as `fs`.',
  },
]

/** Adds them. @param {import('commander').Command} mcp */
function addLockCommands(mcp) {
  for (const { usage, does, summary, description } of LOCK_COMMANDS) {
    mcp
      .command(usage)
      .summary(summary)
      .description(description.replaceAll('\n', ' '))
      .option('--sources <folder>', 'the folder of sources (default: `sources`)')
      .helpOption('-h, --help', 'print this help')
      .action(async (/** @type {string[]} */ names, /** @type {import('./lock.js').LockFlags} */ flags) => {
        endOnSignals()
        process.exitCode = await require('./lock.js')[does](names, flags)
      })
  }
}

/** The programs of sources have process groups of their own, which the terminal does not reach: they end when this process exits. */
function endOnSignals() {
  const exit = (/** @type {NodeJS.Signals} */ signal) => process.exit(128 + constants.signals[signal])
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.once(signal, exit)
}

module.exports = { LOCK_COMMANDS, addLockCommands }
