// Runs of each end, through a registry of the test's own process, as another server would make them: its audit lines and its kept
// calls are in files that the inspector reads.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { buildTools, createRegistry, formatReport } from 'toolgate'
import { keepCalls } from 'toolgate/http'

const text = { type: 'string' }
const READ = { category: 'retrieval', sideEffects: 'read_only', idempotent: true, requiresConfirmation: false }
const WRITE = { category: 'action', sideEffects: 'writes', idempotent: false, requiresConfirmation: true }
const UNASKED = { requiresConfirmation: false, lintAccepted: ['writes-without-confirmation'] }
/** Fields of schema.json by tool. */
const TOOLS = {
  find_paper: { ...READ, properties: { about: text, pin: { ...text, 'x-sensitive': true } } },
  try_again: { ...READ, retry: { maxAttempts: 2, baseDelayMs: 20 } },
  break_down: READ,
  too_slow: { ...READ, timeoutMs: 150 },
  read_payroll: { ...READ, requiredRoles: ['hr'] },
  order_lunch: { ...WRITE, properties: { dish: text }, confirmation: { preview: 'Order {dish} for you', ttlMs: 1000 } },
  send_gift: { ...WRITE, ...UNASKED, properties: { to: text }, duplicate: { windowMs: 60_000, on: 'refuse' } },
  move_money: { ...WRITE, ...UNASKED, timeoutMs: 150, duplicate: false },
}
const HANDLERS = {
  find_paper: ({ args }) => ({ ok: true, data: { title: `On ${args.about}`, pin: args.pin ?? null } }),
  try_again: () => ({ ok: false, error: { type: 'TRANSIENT', message: 'the shelf is locked', retryable: true } }),
  break_down: () => ({ ok: false, error: { type: 'PERMANENT', message: 'the paper is burnt', retryable: false } }),
  too_slow: () => pause(2000, { ok: true, data: 1 }),
  read_payroll: () => ({ ok: true, data: 1 }),
  order_lunch: ({ args }) => ({ ok: true, data: { ordered: args.dish } }),
  send_gift: () => ({ ok: true, data: { sent: true } }),
  move_money: () => pause(2000, { ok: true, data: 1 }),
}

async function compile(folder) {
  for (const [toolId, { properties = {}, ...fields }] of Object.entries(TOOLS)) {
    const home = join(folder, toolId)
    await mkdir(home, { recursive: true })
    const parameters = { type: 'object', additionalProperties: false, properties, required: [] }
    const common = { toolId, version: '1.0.0', description: 'A tool of the tests.', allowedModes: ['text', 'voice'] }
    await writeFile(
      join(home, 'schema.json'),
      JSON.stringify({ ...common, latencyBudgetMs: 60_000, ...fields, parameters }),
    )
    const named = Object.keys(properties).map(name => `- \`${name}\`: a value.\n`)
    await writeFile(
      join(home, 'guide.md'),
      `# ${toolId}\n\nA test.\n\n## Parameters\n\n${named.join('')}\n## Examples\n\nNone.\n`,
    )
    await writeFile(join(home, 'handler.js'), 'export const execute = () => ({ ok: true })\n')
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
  const report = await buildTools({ toolsDir: folder })
  assert.ok(report.ok, formatReport(report))
  return join(folder, 'tool_registry.json')
}

/** @param {string} folder with `audit.jsonl` and `calls.jsonl` afterwards */
export async function makeEndedRuns(folder) {
  const artifact = await compile(join(folder, 'tools'))
  const stop = keepCalls({ TOOLGATE_INSPECTOR_CALLS: join(folder, 'calls.jsonl') }, assert.fail)
  const registry = createRegistry({
    artifact,
    handlers: HANDLERS,
    audit: { file: join(folder, 'audit.jsonl') },
  })
  await registry.load()
  try {
    await runAll(registry)
  } finally {
    await registry.close({ timeoutMs: 0 })
    stop()
  }
}

async function runAll(registry) {
  const open = (sessionId, given) =>
    registry.createSession({ mode: 'text', sessionId, principal: 'Ada Lovelace', ...given })
  const session = await open('run_of_all_ends')
  const call = (id, name, args = {}) => session.execute({ id, name, args })
  const asked = async (...given) => (await call(...given)).error.confirmation_request.token

  await call('call_fine', 'find_paper', { about: 'gates', pin: 'pin-90210' })
  await call('call_fine', 'find_paper', { about: 'gates', pin: 'pin-90210' })
  await session.deny(await asked('call_denied', 'order_lunch', { dish: 'soup' }), 'not hungry', { via: 'page' })
  await session.confirm(await asked('call_approved', 'order_lunch', { dish: 'bread' }), { via: 'speech' })
  const late = await asked('call_expired', 'order_lunch', { dish: 'cake' })
  await pause(1200)
  await session.confirm(late, { via: 'page' }).catch(() => {})
  await call('call_invalid', 'find_paper', { about: {}, colour: 'red' })
  await session.beginTurn()
  await call('call_role', 'read_payroll')
  await call('call_timeout', 'too_slow')
  await call('call_failed', 'break_down')
  await call('call_retried', 'try_again')
  await session.beginTurn()
  await call('call_gift', 'send_gift', { to: 'Bob' })
  await call('call_duplicate', 'send_gift', { to: 'Bob' })
  await call('call_unknown', 'move_money')
  await session.beginTurn()
  for (let count = 1; count <= 8; count += 1) await call(`call_loop_${count}`, 'find_paper', { about: 'loops' })
  const voice = await open('run_of_a_voice_call', { mode: 'voice' })
  await voice.execute({ id: 'call_of_voice', name: 'find_paper', args: { about: 'voices' } })
  const budget = await open('run_beyond_budget', { policy: { totalCalls: 1 } })
  await budget.execute({ id: 'call_within', name: 'find_paper', args: { about: 'a' } })
  await budget.execute({ id: 'call_budget', name: 'find_paper', args: { about: 'b' } })
}
