// What an operator hears of handlers and tools: on standard error by default, once, and nothing of what was no fault.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

import { eventually, openGate } from '../support/gate.mjs'
import { toolSet } from '../support/tool-set.mjs'

const TOOLS = {
  broken: {
    execute: () => {
      throw new Error('a secret of the handler')
    },
  },
  dated: { requires: ['calendar'] },
  written: { requires: ['calendar', 'llm'] },
}

/** Standard error of a program that loads the tools, and calls one that throws, with these options. */
async function stderrOf(options, NODE_ENV, loads = 1, session = '') {
  const { artifact } = await toolSet(TOOLS)
  const program = `
    const { createRegistry } = require(${JSON.stringify(path.resolve('index.js'))})
    const broken = () => { throw new Error('a secret of the handler') }
    const run = async () => {
      const options = { artifact: ${JSON.stringify(artifact)}, handlers: { broken }, ...${options} }
      const registry = await createRegistry(options).load()
      const session = await registry.createSession({ mode: 'text' ${session} })
      await session.execute({ name: 'broken', args: {} })
      await registry.close()
    }
    const all = async () => { for (let n = 0; n < ${loads}; n++) await run() }
    all()`
  const { PATH } = process.env
  const env = NODE_ENV === undefined ? { PATH } : { PATH, NODE_ENV }
  const { stderr, status } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8', timeout: 120_000, env })
  expect(status).toBe(0)
  const lines = stderr.split('\n').filter(Boolean)
  const warnings = lines.filter(line => line.startsWith('{')).map(line => JSON.parse(line))
  return { warnings, hasStack: stderr.includes('a secret of the handler') }
}

test.each([
  ['{}', undefined, true],
  ['{}', 'production', false],
  ["{ environment: 'production' }", undefined, false],
  ["{ environment: 'development' }", 'production', true],
])('the stack of a handler with %s and NODE_ENV %s', async (options, variable, isPrinted) => {
  const { hasStack } = await stderrOf(options, variable)
  expect(hasStack).toBe(isPrinted)
})

test('tools that are hidden are named once by a process', async () => {
  const { warnings } = await stderrOf("{ environment: 'production' }", undefined, 3)
  const hidden = warnings.filter(({ message }) => message.includes('hidden'))
  expect(hidden).toEqual([
    {
      at: expect.any(String),
      level: 'warn',
      message: 'tools are hidden: services that they require are missing',
      tools: 'dated (calendar); written (calendar, llm)',
    },
  ])
  const given = await stderrOf('{ services: { calendar: {}, llm: {} } }')
  expect(given.warnings).toEqual([])
  const ofSession = await stderrOf('{}', undefined, 1, ', services: { calendar: {}, llm: {} }')
  expect(ofSession.warnings).toEqual([])
  const some = await stderrOf('{ services: { calendar: {} } }')
  expect(some.warnings.map(({ tools }) => tools)).toEqual(['written (llm)'])
  const heard = await stderrOf('{ onLog: () => {} }')
  expect(heard.warnings).toEqual([])
})

/** What a call that is cancelled while its handler waits reports as an error of the handler. */
async function reportedOfCancelled(execute) {
  let started = false
  const run = context => {
    started = true
    return execute(context)
  }
  const { session, thrown } = await openGate({ slow: { kind: 'read', execute: run } })
  const attached = await session({ mode: 'voice' })
  const answer = attached.execute({ id: 'call_of_the_barge_in', name: 'slow' })
  await eventually(() => started, 'the handler runs')
  attached.cancel('call_of_the_barge_in')
  await answer
  await new Promise(resolve => setTimeout(resolve, 0))
  return thrown.map(error => error?.message ?? error)
}

const aborted = signal => new Promise(resolve => signal.addEventListener('abort', resolve))

test('a handler that obeys its signal has not failed', async () => {
  const obeying = [
    ({ signal }) =>
      fetch('http://127.0.0.1:9/', { signal }).catch(() => aborted(signal).then(() => signal.throwIfAborted())),
    async ({ signal }) => {
      await aborted(signal)
      throw signal.reason
    },
    async ({ signal }) => {
      await aborted(signal)
      throw new Error('the request ended early', { cause: signal.reason })
    },
    async ({ signal }) => {
      await aborted(signal)
      throw Object.assign(new Error('canceled'), { name: 'CanceledError' })
    },
  ]
  for (const execute of obeying) expect(await reportedOfCancelled(execute)).toEqual([])
})

test('a defect is reported, before the abort and after it', async () => {
  const defect = async ({ signal }) => {
    await aborted(signal)
    throw new TypeError('undefined is not a function')
  }
  expect(await reportedOfCancelled(defect)).toEqual(['undefined is not a function'])
  const { session, thrown } = await openGate({
    early: {
      execute: () => {
        throw new DOMException('of its own timer', 'AbortError')
      },
    },
  })
  await (await session()).execute({ name: 'early' })
  expect(thrown.map(({ message }) => message)).toEqual(['of its own timer'])
})
