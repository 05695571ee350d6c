'use strict'

// `toolgate mcp`: the built tools for an MCP client, on standard input and output or over HTTP.

const { existsSync } = require('node:fs')
const path = require('node:path')

const { compile } = require('../compiler.js')
const { counted } = require('../counted.js')
const { checkArtifact } = require('../doctor/tools.js')
const { CommandFailure, EXIT, UsageError } = require('../exit.js')
const { loadServices } = require('../mcp/services.js')
const { aPort, aTime, names, settingsOf, takesSources } = require('../settings.js')
const { suggestion } = require('../suggest.js')
const { harmless } = require('../terminal.js')
const { readToolSet, takesArtifact } = require('../tool-set.js')

const MODES = ['text', 'voice', 'webcam']
const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_PORT = 8789
/** For calls that run when it ends. Clients kill a server some four seconds after they have closed its input. */
const LAST_CALLS_MS = 3000
const ONLY_HTTP = { port: '--port', host: '--host', allowHost: '--allow-host', allowOrigin: '--allow-origin' }

const say = text => process.stderr.write(harmless(`toolgate: ${text}\n`))

/** @param {object} flags as `options` describes them */
async function run(folder, flags) {
  const settings = settingsOf(folder, flags)
  checkFlags(flags, settings)
  const { serveHttp } = requireServing('../mcp/http.js')
  const { serveStdio, takeStdout } = requireServing('../mcp/stdio.js')
  checkSdk()
  const stdout = flags.http ? null : takeStdout()
  const stopped = stopping()
  const registry = await openRegistry(await artifactOf(settings, flags), settings, flags)
  try {
    const options = { session: { mode: flags.mode, roles: flags.roles }, turnGapMs: flags.turnGap, onError: told }
    const serving = flags.http
      ? await serveHttp(registry, {
          ...options,
          host: flags.host ?? DEFAULT_HOST,
          port: flags.port ?? DEFAULT_PORT,
          allowedHosts: flags.allowHost,
          allowedOrigins: flags.allowOrigin,
        })
      : await serveStdio(registry, stdout, options)
    announce(registry, serving, flags)
    await Promise.race([stopped, ...(serving.ended ? [serving.ended] : [])])
    // What runs may end and be answered, then the client goes.
    await registry.close({ timeoutMs: LAST_CALLS_MS })
    await serving.close()
  } finally {
    await registry.close()
  }
  // A handler that never ends must not keep a server without clients.
  process.exit(EXIT.ok)
}

function checkFlags(flags, { modes = [] }) {
  const known = [...MODES, ...modes]
  if (!known.includes(flags.mode))
    throw new UsageError(`there is no mode \`${flags.mode}\``, suggestion(flags.mode, known))
  const stray = Object.keys(ONLY_HTTP).find(name => flags[name] !== undefined && !flags.http)
  if (stray !== undefined)
    throw new UsageError(`\`${ONLY_HTTP[stray]}\` is of use with \`--http\` only`, 'give both, or neither')
}

/** The gate needs the addon, which `toolgate doctor` knows more about. */
function requireServing(module) {
  try {
    return require(module)
  } catch {
    throw new CommandFailure(
      "the native part of toolgate can't be loaded",
      'run `toolgate doctor`: it says what is missing',
    )
  }
}

function checkSdk() {
  try {
    return require('../../mcp/sdk.js').sdk.Server
  } catch (cause) {
    if (cause.code !== 'MCP_SDK_MISSING') throw cause
    throw new CommandFailure(
      '`toolgate mcp` needs the package `@modelcontextprotocol/sdk`',
      'install it: `npm install @modelcontextprotocol/sdk`',
    )
  }
}

/** Ended by its user; a second time at once. */
function stopping() {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
}

/** What was built last is served; its age is printed, because an author will wonder. @returns {Promise<string>} */
async function artifactOf(settings, { artifact }) {
  if (artifact !== undefined) {
    // Printed as by the other commands; the registry reads it again.
    readToolSet(artifact)
    return path.resolve(artifact)
  }
  const file = path.join(settings.outDir, 'tool_registry.json')
  if (!existsSync(settings.toolsDir))
    throw new CommandFailure(
      `there is no folder \`${settings.toolsDir}\``,
      'name the tools folder: `toolgate mcp <folder>`',
    )
  const { status, message, help } = checkArtifact(await compile(settings, 'nothing'), settings)
  if (!existsSync(file)) throw new CommandFailure(message, help)
  if (status !== 'ok') say(`${message}; ${help}`)
  return file
}

async function openRegistry(artifact, { modes = [] }, { services: file, audit }) {
  const { createRegistry } = require('../../registry.js')
  const services = await loadServices(file, artifact)
  const registry = createRegistry({
    artifact,
    services,
    modes: Object.fromEntries(modes.map(name => [name, {}])),
    audit: audit === undefined ? 'none' : { file: path.resolve(audit) },
    // One handler's mistake is not every client's.
    strayErrors: 'report',
    onHandlerError: (error, { toolId }) =>
      say(`${toolId === undefined ? 'a listener' : `the handler of \`${toolId}\``} threw: ${error?.stack ?? error}`),
  })
  try {
    return await registry.load()
  } catch (cause) {
    if (cause.code === undefined) throw cause
    throw new CommandFailure(cause.message)
  }
}

/** Frames can hold private data: only the kind of the error is logged. */
const told = error => say(`a message could not be read or sent (${error?.code ?? error?.name})`)

function announce(registry, { url, isOpen }, { mode, services }) {
  const served = registry.getProviderSchemas('mcp', { mode })
  say(
    `${counted(served.length, 'tool')} of version ${registry.getVersion()}, mode ${mode}, ${url === undefined ? 'on standard input and output' : `at ${url}`}`,
  )
  if (url === undefined && process.stdin.isTTY)
    say('this waits for a client, which mostly starts it itself; Ctrl-C ends it, --http serves over HTTP')
  const hidden = [...registry.tools.values()].filter(
    tool => tool.allowedModes.includes(mode) && !served.some(({ name }) => name === tool.toolId),
  )
  if (hidden.length > 0) {
    const needed = [...new Set(hidden.flatMap(tool => tool.requires))].map(name => `\`${name}\``).join(', ')
    say(
      `not served, because a service is missing: ${hidden.map(({ toolId }) => toolId).join(', ')}; ${services === undefined ? `name a module that gives ${needed} with --services` : `the module of --services must give ${needed}`}`,
    )
  }
  if (isOpen) say('other machines may reach it, and there is no authentication: whoever does can call these tools')
}

function options(command) {
  return takesArtifact(takesSources(command))
    .option('--mode <name>', 'mode of the session: which tools there are, and their budgets', 'text')
    .option('--roles <names>', 'roles that the client holds', names)
    .option(
      '--services <file>',
      'a module whose default export is the services that handlers use, or a function that makes them',
    )
    .option('--audit <file>', 'write the audit there, a JSON line for each event')
    .option(
      '--turn-gap <ms>',
      'a call after a pause of this length begins a new turn, with new budgets (default: 10000)',
      aTime,
    )
    .option('--http', `serve any number of clients over streamable HTTP, at /mcp`)
    .option('--port <number>', `with --http: the port, 0 for one that is free (default: ${DEFAULT_PORT})`, aPort)
    .option('--host <address>', `with --http: the address to listen at (default: ${DEFAULT_HOST}, this machine alone)`)
    .option('--allow-host <names>', 'with --http: names by which clients may call this server', names)
    .option('--allow-origin <origins>', 'with --http: web pages that may, such as https://app.example', names)
}

module.exports = {
  name: 'mcp',
  summary: 'serve the tools to MCP clients',
  description: `Serves the built tools to a client of the Model Context Protocol: to one on standard input and output, as clients start their
servers, or with --http to any number. Every call goes through the gate, in a session that ends with its client. A call that needs
consent is put to the user by the client (elicitation). It needs the package @modelcontextprotocol/sdk.`,
  examples: ['toolgate mcp', 'toolgate mcp src/tools --services services.mjs', 'toolgate mcp --http --port 8789'],
  options,
  run,
}
