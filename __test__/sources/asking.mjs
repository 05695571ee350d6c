// A registry over the server that asks.
import { fileURLToPath } from 'node:url'

import { createRegistry } from '../../index.js'
import { afterTest } from '../support/tool-set.mjs'
import { build, lockedProject } from './locked.mjs'
import { lockOf, program } from './support.mjs'

const ASKING = fileURLToPath(new URL('asking-server.mjs', import.meta.url))
export const ERAS = ['legacy', 'modern']

/** A registry over the asking server in one generation; `answer` takes each question. */
export async function gate(era, { answer, fields = {}, options = {}, session: attach = {}, project } = {}) {
  const built = project ?? (await projectOf(era, fields))
  const followed = program(ASKING)
  const logs = []
  const asked = []
  const registry = createRegistry({
    artifact: built.artifact,
    sources: { shop: { transport: followed.config.transport, ...fields } },
    audit: 'none',
    onLog: line => logs.push(line.message),
    ...options,
  })
  await registry.load()
  afterTest(() => registry.close())
  const session = await registry.createSession({
    mode: 'text',
    principal: 'ada',
    onNestedConfirmation: question => {
      asked.push(question)
      return answer?.(question, session)
    },
    ...attach,
  })
  const ask = async (of, id = `ask-call-${Math.random()}`) => {
    const response = await session.execute({ id, name: 'shop_ask', args: { of } })
    return response.ok ? JSON.parse(response.data.text) : response.error
  }
  return { ...followed, asked, logs, registry, session, ask, project: built }
}

const locked = {}

export async function projectOf(era, { timeoutMs = 20_000, ...fields } = {}) {
  const facts = await (locked[era] ??= lockOf(program(ASKING).config, { era }))
  const definitions = Object.values(facts.tools).map(({ definition }) => definition)
  const reads = { reads: ['ask'], tools: { ask: { repeatable: true, timeoutMs } } }
  const project = lockedProject({ shop: { definitions, facts, ...reads, ...fields } })
  expect(await build(project)).toMatchObject({ ok: true, tools: ['shop_ask'] })
  return project
}

/** The answer to a question with these values by request. */
export const fill = content => (question, session) =>
  session.confirm(question.token, { args: { ...question.args, content } })

/** What the server got, in either generation. */
export const shown = (era, name, answer) => (era === 'modern' ? { [name]: answer } : answer)
export const named = (era, name) => (era === 'modern' ? name : 'pushed')
