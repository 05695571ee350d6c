// `npm run test:soak [calls]`: many calls whose handlers succeed, throw, hang, come late, are tried again and are
// cancelled. It prints the memory growth of each part of the run and checks that every call was answered once. Exits
// with 1 if memory grew, an answer is missing, or something would keep Node alive.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'

const require = createRequire(import.meta.url)
const { ToolError, buildTools, createRegistry } = require('../index.js')

const CALLS = Number(process.argv[2] ?? 1_000_000)
const PARTS = 10
/** Concurrent sessions, calls of each session, calls of each turn. */
const SESSIONS = 8
const CALLS_PER_SESSION = 500
const CALLS_PER_TURN = 25
/** The tolerated growth compared to the first parts: heap sizes fluctuate. */
const SLACK_MB = 24

const { setTimeout: later } = globalThis
const ok = data => ({ ok: true, data })
const after = (ms, value) =>
  new Promise(resolve => {
    later(resolve, ms, value).unref()
  })

const HANDLERS = {
  echo: ({ args }) => ok(args),
  waits: ({ args }) => after(1, ok(args)),
  throws: () => {
    throw new Error('a defect')
  },
  refuses: () => {
    throw new ToolError('NOT_FOUND', 'no such thing')
  },
  passes: ({ meta }) => {
    if (meta.attempt === 1) throw new ToolError('TRANSIENT', 'busy')
    return ok()
  },
  hangs: () => new Promise(() => {}),
  late: () => after(30, ok('late')),
  listens: ({ signal }) =>
    new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  writes: ({ args }) => after(1, ok(args)),
  hangs_writing: () => new Promise(() => {}),
  plans: async ({ callTool, args }) => ok(await callTool('echo', args)),
  kept: ({ args }) => ok(args),
}
const FIELDS = {
  hangs: { timeoutMs: 10 },
  late: { timeoutMs: 10 },
  hangs_writing: { timeoutMs: 10, sideEffects: 'writes', idempotent: false, parallel: true },
  writes: { sideEffects: 'writes', idempotent: false },
  kept: { cache: { ttlMs: 60_000 } },
}
/** Of a hundred calls. The rest is `echo`. */
const SHARES = {
  throws: 6,
  refuses: 6,
  passes: 4,
  hangs: 3,
  late: 2,
  listens: 5,
  writes: 6,
  hangs_writing: 1,
  waits: 7,
  plans: 5,
  kept: 10,
}
const MIX = Object.entries(SHARES).flatMap(([name, share]) => Array(share).fill(name))
const nameOf = n => MIX[(n * 37) % 100] ?? 'echo'

async function compile(folder) {
  const tools = Object.keys(HANDLERS).map(toolId => ({
    toolId,
    version: '1.0.0',
    description: 'One of the fates of a call.',
    category: 'utility',
    sideEffects: 'read_only',
    idempotent: true,
    requiresConfirmation: false,
    allowedModes: ['text'],
    latencyBudgetMs: 100_000,
    retry: { maxAttempts: 2, baseDelayMs: 1 },
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { n: { type: 'integer', description: 'Its number.' } },
    },
    lintAccepted: ['writes-without-confirmation', 'utility-writes'],
    ...FIELDS[toolId],
  }))
  for (const tool of tools) {
    const place = path.join(folder, 'tools', tool.toolId.replaceAll('_', '-'))
    mkdirSync(place, { recursive: true })
    writeFileSync(path.join(place, 'schema.json'), JSON.stringify(tool))
    writeFileSync(
      path.join(place, 'guide.md'),
      `# ${tool.toolId}\n\nOne of the fates of a call.\n\n## Parameters\n\n- \`n\`: its number.\n`,
    )
    writeFileSync(path.join(place, 'handler.js'), 'export const execute = () => ({ ok: true })\n')
  }
  const report = await buildTools({ toolsDir: path.join(folder, 'tools') })
  if (!report.ok) throw new Error(JSON.stringify(report.diagnostics, null, 2))
  return path.join(folder, 'tools', 'tool_registry.json')
}

const tally = { answered: 0, wrong: 0, types: {} }

/** One session's part of the run: turns of calls, some of them cancelled, then its end. */
async function live(registry, from, count) {
  const session = await registry.createSession({
    mode: 'text',
    policy: { totalCalls: 1_000_000, retrievalCalls: 1_000_000 },
    onCapabilityUsed() {},
  })
  for (let done = 0; done < count; done += CALLS_PER_TURN) {
    await session.beginTurn()
    const numbers = Array.from({ length: Math.min(CALLS_PER_TURN, count - done) }, (_, i) => from + done + i)
    const answers = numbers.map(n =>
      session.execute({ id: `call_of_the_soak_${n}`, name: nameOf(n), args: { n: nameOf(n) === 'kept' ? n % 7 : n } }),
    )
    for (const n of numbers.filter(number => nameOf(number) === 'listens'))
      session.cancel(`call_of_the_soak_${n}`, 'enough')
    for (const answer of await Promise.all(answers)) {
      tally.answered += 1
      const type = answer.ok ? 'ok' : answer.error?.type
      tally.types[type] = (tally.types[type] ?? 0) + 1
    }
  }
  await session.end('done')
  await session.detach()
}

const megabytes = bytes => Math.round((bytes / 1024 / 1024) * 10) / 10
async function memory() {
  // Handlers that were abandoned a second ago are counted and released by now.
  await new Promise(resolve => later(resolve, 1200))
  globalThis.gc?.()
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rssMB: megabytes(rss), heapMB: megabytes(heapUsed) }
}

async function run(folder) {
  const registry = await createRegistry({
    artifact: await compile(folder),
    handlers: HANDLERS,
    onHandlerError() {},
    limits: { maxSessions: 4 * SESSIONS },
  }).load()
  const parts = []
  let next = 0
  const began = Date.now()
  for (let part = 1; part <= PARTS; part += 1) {
    const until = Math.round((CALLS * part) / PARTS)
    const worker = async () => {
      while (next < until) {
        const from = next
        const count = Math.min(CALLS_PER_SESSION, until - from)
        next += count
        await live(registry, from, count)
      }
    }
    await Promise.all(Array.from({ length: SESSIONS }, worker))
    parts.push({ calls: next, seconds: Math.round((Date.now() - began) / 100) / 10, ...(await memory()) })
    console.log(JSON.stringify(parts.at(-1)))
  }
  const { hangs, late, listens, passes, kept } = registry.getMetrics()
  console.log(
    JSON.stringify({
      ...tally,
      ignoredSignals: hangs.text.ignoredSignals,
      late: late.text.late,
      retries: passes.text.retries,
      cancellations: listens.text.cancellations,
      cached: kept.text.cached,
    }),
  )
  await registry.close({ timeoutMs: 1000 })
  return parts
}

function complaints(parts) {
  const found = []
  if (tally.answered !== CALLS) found.push(`${CALLS} calls had ${tally.answered} answers`)
  // The first parts fill the bounded caches; later parts must not grow.
  const [settled, rest] = [parts.slice(0, 4), parts.slice(4)]
  for (const field of ['rssMB', 'heapMB']) {
    const [before, now] = [Math.max(...settled.map(part => part[field])), Math.max(...rest.map(part => part[field]))]
    if (now > before + SLACK_MB) found.push(`${field} grew from ${before} to ${now}`)
  }
  return found
}

const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-soak-'))
try {
  const found = complaints(await run(folder))
  console.log(found.length === 0 ? 'memory is flat, and every call was answered' : found.join('\n'))
  process.exitCode = found.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
// Only a limit that keeps no process alive: Node must end by itself now.
later(() => {
  console.error(`something keeps Node alive: ${process.getActiveResourcesInfo().join(', ')}`)
  process.exit(1)
}, 5000).unref()
