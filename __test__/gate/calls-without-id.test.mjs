// A call without a usable id is known by its content: in its turn, and under whatever id an equal call came.
import { openGate } from '../support/gate.mjs'

async function noting() {
  const notes = []
  let reads = 0
  const { session: open } = await openGate({
    note: {
      kind: 'write',
      duplicate: false,
      properties: { text: { type: 'string' } },
      execute: ({ args }) => (notes.push(args.text), { ok: true, data: notes.length }),
    },
    list: { kind: 'read', properties: {}, execute: () => ((reads += 1), { ok: true, data: [...notes] }) },
  })
  const session = await open({ policy: { totalCalls: 50, retrievalCalls: 50 } })
  await session.beginTurn('1')
  const call = (name, args, id) => session.execute({ id, name, args })
  return { session, notes, call, reads: () => reads }
}

test('an equal call of the turn that came under an id is the same call', async () => {
  const { session, notes, call } = await noting()
  const first = await call('note', { text: 'milk' }, 'call_milk_000001')
  for (const id of [undefined, 'temp_1', 'note_0']) {
    const twin = await call('note', { text: 'milk' }, id)
    expect([twin.data, twin.meta._idempotent_cache_hit, twin.meta.idempotencyKey]).toEqual([
      1,
      true,
      first.meta.idempotencyKey,
    ])
  }
  expect((await call('note', { text: 'eggs' })).data).toBe(2)
  await session.beginTurn('2')
  expect((await call('note', { text: 'milk' })).data).toBe(3)
  expect(notes).toEqual(['milk', 'eggs', 'milk'])
})

test('and so is a later call under an id', async () => {
  const { notes, call } = await noting()
  for (const id of ['temp_1', 'call_milk_000002', 'temp_9', undefined]) await call('note', { text: 'milk' }, id)
  expect(notes).toEqual(['milk'])
  await call('note', { text: 'milk' }, 'call_milk_000003')
  expect(notes).toEqual(['milk', 'milk'])
})

test('a read without an id gives what is there after a write', async () => {
  const { call, reads } = await noting()
  expect((await call('list', {})).data).toEqual([])
  expect((await call('list', {}, 'temp_1')).meta._idempotent_cache_hit).toBe(true)
  await call('note', { text: 'milk' })
  expect((await call('list', {})).data).toEqual(['milk'])
  expect((await call('list', {})).meta._idempotent_cache_hit).toBe(true)
  const named = await call('list', {}, 'call_list_000001')
  expect(named.data).toEqual(['milk'])
  await call('note', { text: 'eggs' })
  expect((await call('list', {}, 'call_list_000001')).data).toEqual(['milk'])
  expect((await call('list', {}, 'temp_2')).data).toEqual(['milk', 'eggs'])
  expect(reads()).toBe(3)
})
