'use strict'

// `toolgate call <tool> <json>`: makes one call through the gate and prints its answer.

const path = require('node:path')

const { CommandFailure, EXIT, UsageError } = require('../exit.js')
const { printCoreWarning } = require('../core-warnings.js')
const { handlerErrorText } = require('../handler-error-text.js')
const { loadServices } = require('../mcp/services.js')
const { flushed, takeStdout } = require('../reserved-stdout.js')
const { parseNames, settingsOf } = require('../command-settings.js')
const { suggestion } = require('../../tool-sets/suggest.js')
const { harmless, printedJson } = require('../terminal.js')
const { takesArtifact } = require('../load-tool-set.js')

/**
 * @typedef {{ mode: string, artifact?: string, services?: string, roles?: string[], confirm?: boolean }} CallFlags as
 *   `options` describes them
 * @param {string} name
 * @param {string} args
 * @param {CallFlags} flags
 */
async function run(name, args, { mode, artifact, services, roles, confirm }) {
  const settings = settingsOf(undefined, {})
  const file = path.resolve(artifact ?? path.join(settings.outDir, 'tool_registry.json'))
  // The answer is JSON for programs: what a handler prints reaches standard error.
  const { stream } = takeStdout()
  const { sourcesDir: sources } = settings
  const registry = await openRegistry({ artifact: file, sources, services: await loadServices(services, file) })
  try {
    const known = ['text', 'voice', 'webcam', ...(settings.modes ?? [])]
    if (!known.includes(mode)) throw new UsageError(`there is no mode \`${mode}\``, suggestion(mode, known))
    const session = await registry.createSession({ mode, roles })
    const response = await answered(session, { name, args }, confirm === true)
    stream.write(printedJson(response))
    await flushed(stream)
    return response.ok ? EXIT.ok : EXIT.failed
  } finally {
    await registry.close()
  }
}

/** @param {{ artifact: string, sources: string, services: Record<string, unknown> }} options */
async function openRegistry(options) {
  const { createRegistry } = require('../../../index.js')
  try {
    const reports = { onHandlerError, onLog: printCoreWarning }
    return await createRegistry({ ...options, ...reports, audit: 'none', strayErrors: 'report' }).load()
  } catch (cause) {
    throw new CommandFailure(/** @type {Error} */ (cause).message, 'build the tools with `toolgate build`')
  }
}

/** @param {unknown} error @param {{ toolId?: string }} of */
function onHandlerError(error, { toolId }) {
  process.stderr.write(`${harmless(handlerErrorText(error, toolId))}\n`)
}

/**
 * The user of the command is the one who is asked: `confirmed` is the answer.
 * @param {import('toolgate').Session} session
 * @param {import('toolgate').ToolCall} call
 * @param {boolean} confirmed
 */
async function answered(session, call, confirmed) {
  const response = await session.execute(call)
  const token = response.ok ? undefined : response.error.confirmation_request?.token
  const last = token !== undefined && confirmed ? await session.confirm(token, { via: 'cli' }) : response
  return require('../../../index.js').toModelResponse(last)
}

module.exports = {
  name: 'call',
  summary: 'make one call through the gate',
  description: `Makes one call of a built tool through the gate, as a model would, and prints the answer as JSON. The exit code is 1 if
the answer is an error. A call that needs a confirmation is answered with the question; --confirm answers it.`,
  examples: [
    `toolgate call find_order '{"number":"A-17"}'`,
    `toolgate call find_order '{"number":"A-17"}' --services services.mjs`,
  ],
  /** @param {import('commander').Command} command */
  options: command =>
    takesArtifact(
      command
        .argument('<tool>', 'its id')
        .argument('[json]', 'the arguments, as JSON text', '{}')
        .option('--mode <name>', 'the mode of the session', 'text'),
    )
      .option('--services <file>', 'a module whose default export is the services of the handlers')
      .option('--roles <names>', 'roles of the caller', parseNames)
      .option('--confirm', 'confirm the call if the gate asks'),
  run,
}
