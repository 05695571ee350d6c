// The handlers of the page on patterns, run behind the gate as tools.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { openGate } from '../support/gate.mjs'

const page = await readFile(new URL('../../docs/patterns.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code)
let folder

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'toolgate-patterns-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function moduleOf(name) {
  const file = path.join(folder, `${name}.mjs`)
  const code = blocks.find(block => block.includes(`function ${name}(`))
  await writeFile(file, code)
  return import(pathToFileURL(file).href)
}
const meta = { idempotencyKey: 'tg_1' }

test('a plan is committed by its id', async () => {
  const { planTransfer, commitTransfer } = await moduleOf('planTransfer')
  const { data } = await planTransfer({ args: { from: 'a', to: 'b', amount: 5 }, meta })
  expect((await commitTransfer({ args: { plan_id: data.id }, meta })).data).toEqual({
    transferred: 5,
    reference: 'tg_1',
  })
  expect((await commitTransfer({ args: { plan_id: 'plan_other' }, meta })).error.type).toBe('NOT_FOUND')
})

test('a stale version is a conflict', async () => {
  const { readNote, writeNote } = await moduleOf('readNote')
  const { data } = await readNote()
  expect((await writeNote({ args: { version: data.version, text: 'second' } })).data).toEqual({
    version: 2,
    text: 'second',
  })
  expect((await writeNote({ args: { version: data.version, text: 'third' } })).error.type).toBe('CONFLICT')
})

test('one source of two is enough, and the answer names the other', async () => {
  const { search } = await moduleOf('search')
  const down = { find: async () => Promise.reject(new Error('down')) }
  const up = { find: async query => [query] }
  const args = { query: 'rust' }
  expect(await search({ args, services: { live: down, archive: up } })).toEqual({
    ok: true,
    data: { results: ['rust'], missing: ['live'] },
  })
  expect((await search({ args, services: { live: down, archive: down } })).error.type).toBe('TRANSIENT')
})

test('a repeated start finds its job', async () => {
  const { startExport, exportState } = await moduleOf('startExport')
  const first = await startExport({ args: { rows: 3 }, meta })
  expect(await startExport({ args: { rows: 3 }, meta })).toEqual(first)
  expect((await exportState({ args: first.data })).data.state).toBe('running')
})

test('a payment passes its key on', async () => {
  const { pay } = await moduleOf('pay')
  const keys = []
  const payments = { charge: async (_amount, { idempotencyKey }) => (keys.push(idempotencyKey), { id: 'r1' }) }
  expect((await pay({ args: { amount: 1 }, services: { payments }, meta })).data).toEqual({ receipt: 'r1' })
  expect(keys).toEqual(['tg_1'])
})

test('a search of the host declares what it finds', async () => {
  const { findTool } = await moduleOf('findTool')
  const source = 'export function execute() { return { ok: true, data: {} } }\n'
  const { session } = await openGate({
    find_tool: { requires: ['registry'], properties: { query: { type: 'string' } }, execute: findTool },
    invoice_pay: { description: 'Pays an invoice.', source },
    lamp_switch: { description: 'Switches a lamp.', source },
  })
  const attached = await session({ toolSearch: 'gate' })
  const names = () => attached.declared('mcp').map(({ name }) => name)
  expect(names()).toEqual(['find_tool'])
  const { data } = await attached.execute({ id: 'call_find_1', name: 'find_tool', args: { query: 'my bill' } })
  expect(data.tools.map(({ toolId }) => toolId)).toEqual(['invoice_pay'])
  expect(names()).toEqual(['find_tool', 'invoice_pay'])
})
