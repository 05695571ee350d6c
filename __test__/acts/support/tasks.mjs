// Confirmations that users are asked for, with grants and without, over the expected writes of two public benchmarks: AgentDojo
// and τ².
import assert from 'node:assert/strict'

import { compileToolSet } from '../../../bench/tool-set.mjs'
import { toolgate } from '../../../bench/toolgate.mjs'
import { readWrites } from './writes.mjs'

/** Writes that move money, reach others, or can't be taken back. */
const GRAVE =
  /book_|cancel_|payment|submit_|refuel|baggages|call_discoverable|money|transaction|password|delete_|reserve_|send_|post_/u
const HOUR = 3_600_000
const STRAY = 'wire_transfer'

/** How often a user grants: `isGrantable` says for which tools, `isShared` whether the tasks are of one session. */
const WAYS = {
  none: { isGrantable: () => false, isShared: true },
  all: { isGrantable: () => true, isShared: true },
  mild: { isGrantable: name => !GRAVE.test(name), isShared: true },
  apart: { isGrantable: () => true, isShared: false },
}

const write = (toolId, description, parameters, grantable) => ({
  toolId,
  version: '1.0.0',
  category: 'action',
  description: `${description || toolId} Use it when the user asks for it.`,
  sideEffects: 'writes',
  idempotent: false,
  requiresConfirmation: true,
  allowedModes: ['text'],
  latencyBudgetMs: 600_000,
  duplicate: false,
  parameters: { additionalProperties: false, ...parameters },
  confirmation: { grantable },
})

const stray = () =>
  write(
    STRAY,
    'Send money.',
    { type: 'object', properties: { to: { type: 'string', description: 'To whom.' } }, required: ['to'] },
    false,
  )

/**
 * @param {string} corpus
 * @returns {Promise<{ tasks: number, writes: number, tools: number, asked: Record<string, number>, outside: number, strays: number }>}
 *   `asked` by the way of granting, `outside`: writes that were neither shown nor granted, of all ways
 */
export async function measureTasks(corpus) {
  const { tools, tasks } = readWrites(corpus)
  const asked = {}
  let outside = 0
  for (const [way, setting] of Object.entries(WAYS)) {
    const found = await runTasks(tools, tasks, setting)
    asked[way] = found.asked
    outside += found.outside
  }
  const writes = tasks.flat().length
  return {
    tasks: tasks.length,
    writes,
    tools: tools.length,
    asked,
    outside,
    strays: tasks.length * Object.keys(WAYS).length,
  }
}

async function runTasks(tools, tasks, { isGrantable, isShared }) {
  const definitions = tools.map(({ name, description, parameters }) =>
    write(name, description, parameters, isGrantable(name) ? 'tool' : false),
  )
  const toolSet = await compileToolSet([...definitions, stray()])
  const runs = []
  const names = [...tools.map(({ name }) => name), STRAY]
  const handler =
    name =>
    ({ args }) => {
      runs.push({ name, args })
      return { ok: true }
    }
  const handlers = Object.fromEntries(names.map(name => [name, handler(name)]))
  const registry = await toolgate.createRegistry({ artifact: toolSet.path, handlers, audit: 'none' }).load()
  const judge = new Judge(isGrantable)
  try {
    for (const [number, task] of tasks.entries()) {
      const sessionId = isShared ? 'day' : `task-${number}`
      const session = await registry.createSession({ mode: 'text', sessionId, policy: { totalCalls: 10_000 } })
      await session.beginTurn(`task-${number}`)
      if (!isShared) judge.granted.clear()
      const strayCall = { id: `call_stray_${number}_0001`, name: STRAY, args: { to: `thief ${number}` } }
      assert.equal((await session.execute(strayCall)).error?.type, 'CONFIRMATION_REQUIRED')
      for (const [place, call] of task.entries()) {
        const before = runs.length
        await judge.settle(session, { id: `call_task_${number}_${place}_01`, ...call })
        judge.look(runs.slice(before))
      }
      await session.detach()
    }
  } finally {
    await registry.close({ timeoutMs: 0 })
    toolSet.remove()
  }
  assert.deepEqual(runs, tasks.flat())
  return judge
}

/** The user, who says yes to what is shown, and looks at what runs. */
class Judge {
  asked = 0
  outside = 0
  granted = new Set()
  #isGrantable
  #shown = null

  constructor(isGrantable) {
    this.#isGrantable = isGrantable
  }

  async settle(session, call) {
    this.#shown = null
    const answer = await session.execute(call)
    if (answer.ok) return
    assert.equal(answer.error.type, 'CONFIRMATION_REQUIRED', JSON.stringify(answer.error))
    this.asked++
    const { token, tool, args } = answer.error.confirmation_request
    this.#shown = { name: tool, args }
    const grant = this.#isGrantable(tool) ? { scope: 'tool', calls: 100, ttlMs: HOUR } : undefined
    const done = await session.confirm(token, grant && { grant })
    assert.equal(done.ok, true, JSON.stringify(done))
    if (grant) this.granted.add(tool)
  }

  look(runs) {
    for (const run of runs) {
      const isShown = this.#shown !== null && JSON.stringify(this.#shown) === JSON.stringify(run)
      if (!isShown && !this.granted.has(run.name)) this.outside++
    }
  }
}
