// The fixture of a test: the simulator as the model, a registry with real tools, the voice server between them.
import { rmSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildTools, createRegistry, formatReport } from 'toolgate'
import { startSimulator } from 'toolgate-simulator'
import { embeddedServices } from 'toolgate/tools/_services/embedded.js'
import { createVoiceServer } from '../../server.js'
import { hostServer } from './host-server.js'
import { VoiceClient } from './voice-client.js'

const SHIPPED_TOOLS = fileURLToPath(new URL('.', import.meta.resolve('toolgate-tools/package.json')))
const TEST_TOOLS = fileURLToPath(new URL('../tools/', import.meta.url))

/** A silent logger that records all lines. */
export function recordingLogger() {
  const lines = []
  const add = level => (message, fields) => lines.push({ level, message, ...fields })
  return { lines, info: add('info'), warn: add('warn'), error: add('error') }
}

/**
 * @param {import('node:test').TestContext} t the started parts are closed after it
 * @param {object} options
 * @param {object[]} options.rules of the simulator's scenario
 * @param {object} [options.audio] of the scenario
 * @param {object} [options.settings] of the scenario
 * @param {Record<string, Function>} [options.handlers] use the test's own tools with these handlers; the shipped tools
 *   without
 * @param {import('toolgate').StoreChoice} [options.store] of the registry
 * @param {object} [options.registry] more options of the registry
 * @param {'gemini' | 'openai' | 'gptLive'} [options.provider]
 * @param {object | ((simulatorUrl: string) => object)} [options.server] more options of `createVoiceServer`; with `noServer` the
 *   calls are served by a server of the host's
 */
export async function startFixture(
  t,
  { rules, audio, settings, handlers, store, registry: registryOptions, provider = 'gemini', server: more = {} },
) {
  const sim = await startSimulator({
    scenario: {
      name: 'test',
      settings: { label: '', pieceChars: 400, listenMs: 200, ...settings },
      ...(audio ? { audio } : {}),
      rules,
    },
  })
  const audit = []
  const artifact = await makeTools(t, handlers)
  const registry = createRegistry({
    artifact,
    ...(handlers ? { handlers: allHandlers(handlers) } : {}),
    ...(store ? { store } : {}),
    strayErrors: 'report',
    ...registryOptions,
    audit: line => audit.push(JSON.parse(line)),
  })
  const logger = recordingLogger()
  const given = typeof more === 'function' ? more(sim.url) : more
  const server = await createVoiceServer({
    registry,
    ...(handlers ? {} : { services: await embeddedServices({ registry: () => registry }) }),
    ...(given.authenticate ? {} : { allowAnonymous: true }),
    [provider]: SETTINGS[provider](sim),
    logger,
    ...given,
  })
  const host = given.noServer ? await hostServer(server) : null
  const url = host?.url ?? server.url
  const clients = []
  t.after(async () => {
    for (const client of clients) client.socket.terminate()
    await server.close()
    await host?.close()
    await registry.close()
    await sim.close()
  })
  const join = connecting => connecting.then(client => (clients.push(client), client))
  return {
    sim,
    server,
    host,
    artifact,
    registry,
    logger,
    audit,
    start: (frame, options) => join(VoiceClient.start(url, frame, options)),
    open: options => join(VoiceClient.open(url, options)),
    /** The tool answers that the model got, in order: `{ id, name, response }`, in Realtime without the name. */
    answers: () => sim.received.flatMap(({ json }) => json?.toolResponse?.functionResponses ?? outputOf(json)),
    /** The model's side of the n-th connection, once it is set up. */
    model: n => sim[ENDPOINTS[provider]].whenConnected(n),
    /** The texts that the model got, in order: typed texts and notes. */
    written: () => sim.received.flatMap(({ json }) => wordsOf(json)),
  }
}

const SETTINGS = {
  gemini: ({ url }) => ({ apiKey: 'any', baseUrl: url }),
  openai: ({ url }) => ({ apiKey: 'any', baseUrl: `${url}/v1` }),
  gptLive: ({ url }) => ({ apiKey: 'any', baseUrl: `${url}/v1` }),
}
const ENDPOINTS = { gemini: 'live', openai: 'realtime', gptLive: 'gptLive' }

function outputOf(json) {
  const { type, call_id: id, output } = json?.item ?? {}
  return type === 'function_call_output' ? [{ id, response: JSON.parse(output) }] : []
}

function wordsOf(json) {
  if (json?.item?.type === 'message') return json.item.content.map(({ text }) => text)
  if (/^session\.\w+\.append$/.test(json?.type) && json.content !== undefined) return [json.content]
  return json?.clientContent?.turns.flatMap(({ parts }) => parts.map(({ text }) => text)) ?? []
}

/** The built tool sets by their folder: each is built once for a file of tests, and copied for each test. */
const built = new Map()

async function makeTools(t, handlers) {
  const toolsDir = handlers ? TEST_TOOLS : SHIPPED_TOOLS
  if (!built.has(toolsDir)) built.set(toolsDir, build(toolsDir))
  const outDir = await mkdtemp(join(tmpdir(), 'toolgate-voice-'))
  t.after(() => rm(outDir, { recursive: true }))
  // Beside the original, because the paths of handlers are relative.
  await cp(await built.get(toolsDir), outDir, { recursive: true })
  return join(outDir, 'tool_registry.json')
}

async function build(toolsDir) {
  const outDir = await mkdtemp(join(tmpdir(), 'toolgate-voice-'))
  process.once('exit', () => rmSync(outDir, { recursive: true }))
  const report = await buildTools({ toolsDir, outDir })
  if (!report.ok) throw new Error(formatReport(report))
  return outDir
}

function allHandlers(handlers) {
  const missing = async () => {
    throw new Error('the test gave no handler for this tool')
  }
  return {
    note_save: missing,
    brief_save: missing,
    plan_save: missing,
    slow_read: missing,
    quick_read: missing,
    cue_set: missing,
    job_run: missing,
    archive_read: missing,
    ...handlers,
  }
}

/** Audio of a voice and of silence, 16 kHz. */
export const voice = ms =>
  Buffer.from(Int16Array.from({ length: ms * 16 }, (_, at) => (at % 64 < 32 ? 8000 : -8000)).buffer)
export const silence = ms => Buffer.alloc(ms * 32)

/** A scenario rule: the steps for an utterance. */
export const on = (user, ...steps) => ({ when: { user }, steps: steps.map(emit => ({ emit })) })
export const call = (name, args = {}, more = {}) => ({ call: { name, args, ...more } })
export const say = text => ({ say: text })

/** A promise that the test resolves by `open`. */
export function latch() {
  let open
  const opened = new Promise(resolve => (open = resolve))
  return { open, opened }
}
