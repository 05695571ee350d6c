#!/usr/bin/env node
'use strict'

// The command `toolgate`.

const { CommanderError } = require('commander')

const { EXIT } = require('./exit.js')
const { exitCodeOf, makeProgram } = require('./program.js')
const { harmless } = require('./terminal.js')

/** A closed pipe (`toolgate list | head -1`) is no failure. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', error => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

async function main() {
  const program = makeProgram()
  try {
    if (process.argv.length > 2) return await program.parseAsync()
    program.outputHelp({ error: true })
    process.exitCode = EXIT.usage
  } catch (error) {
    process.exitCode = failed(/** @type {Error} */ (error))
  }
}

/** @returns {number} the exit code @param {Error & { hint?: string, exitCode?: number }} error */
function failed(error) {
  if (error instanceof CommanderError) return exitCodeOf(error)
  const { message, hint, exitCode } = error
  if (exitCode === undefined) return unexpected(error)
  // Both may quote a file's content.
  process.stderr.write(harmless(`toolgate: ${message}\n${hint === undefined ? '' : `${hint}\n`}`))
  return exitCode
}

/** @param {Error} error */
function unexpected(error) {
  if (process.env.TOOLGATE_DEBUG) process.stderr.write(`${error?.stack ?? error}\n`)
  const message = String(error?.message ?? error).split('\n', 1)[0]
  process.stderr.write(
    `toolgate: unexpected: ${harmless(message)}\n\`toolgate doctor\` checks the installation; TOOLGATE_DEBUG=1 shows where it happened\n`,
  )
  return EXIT.failed
}

main()
