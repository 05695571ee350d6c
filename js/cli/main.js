#!/usr/bin/env node
'use strict'

// The command `toolgate`.

const { EXIT } = require('./exit.js')

/** A closed pipe (`toolgate list | head -1`) is no failure. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', error => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

async function main() {
  const [, , named, ...more] = process.argv
  if (more.length === 0 && (named === '--version' || named === '-V')) {
    // Answered before anything is loaded.
    process.stdout.write(`${require('../../package.json').version}\n`)
    return
  }
  const { COMMANDS, makeProgram } = require('./program.js')
  const program = makeProgram(named)
  // `help bild` is answered as `bild` is: commander would print the whole help.
  const isUnknown = named === 'help' && more.length > 0 && !COMMANDS.includes(more[0])
  try {
    if (process.argv.length > 2)
      return await program.parseAsync(isUnknown ? more : process.argv.slice(2), { from: 'user' })
    program.outputHelp({ error: true })
    process.exitCode = EXIT.usage
  } catch (error) {
    process.exitCode = failed(/** @type {Error} */ (error))
  } finally {
    // What the services of a call hold, a connection or a timer, must not keep the command.
    if (named === 'call') process.exit()
  }
}

/** @returns {number} the exit code @param {Error & { hint?: string, exitCode?: number }} error */
function failed(error) {
  const { exitCodeOf } = require('./program.js')
  if (error instanceof require('commander').CommanderError) return exitCodeOf(error)
  const { message, hint, exitCode } = error
  if (exitCode === undefined) return unexpected(error)
  // Both may quote a file's content.
  const { harmless } = require('./terminal.js')
  process.stderr.write(harmless(`toolgate: ${message}\n${hint === undefined ? '' : `${hint}\n`}`))
  return exitCode
}

/** @param {Error} error */
function unexpected(error) {
  if (process.env.TOOLGATE_DEBUG) process.stderr.write(`${error?.stack ?? error}\n`)
  const { harmless } = require('./terminal.js')
  const { messageOf } = require('../values/foreign.js')
  const message = messageOf(error).split('\n', 1)[0]
  process.stderr.write(
    `toolgate: unexpected: ${harmless(message)}\n\`toolgate doctor\` checks the installation; TOOLGATE_DEBUG=1 shows where it happened\n`,
  )
  return EXIT.failed
}

main()
