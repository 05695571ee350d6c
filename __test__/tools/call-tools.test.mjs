// `call_status` and `call_cancel` over tools that run in the background, through sessions of the gate.
import { success } from '../../index.js'
import { execute as cancelCall } from '../../tools/call_cancel/handler.js'
import { execute as callStatus } from '../../tools/call_status/handler.js'
import { gateway, openGate } from '../support/gate.mjs'
import { expectResult, schemaOf } from './support/tool-files.mjs'

const shipped = (name, execute) => {
  const { parameters, repeatable, sideEffects, requires } = schemaOf(name)
  return { kind: sideEffects === 'writes' ? 'write' : 'read', parameters, repeatable, requires, execute }
}

async function open() {
  const held = gateway()
  const run = async ({ signal }) => {
    await Promise.race([held.passed, new Promise(resolve => signal.addEventListener('abort', resolve))])
    return success('done')
  }
  const gate = await openGate({
    call_status: shipped('call_status', callStatus),
    call_cancel: shipped('call_cancel', cancelCall),
    look: { execute: run, background: true },
    send: { kind: 'write', execute: run, background: true },
  })
  const session = await gate.session()
  for await (const _ of session.results({ wait: false }));
  let calls = 0
  const call = async (name, args = {}) => {
    const response = await session.execute({ id: `call_tools_${(calls += 1)}`, name, args })
    if (response.ok && name.startsWith('call_')) expectResult(name, response.data)
    return response
  }
  return { call, session, held }
}

test('what runs is listed, oldest first, also one of it, and asked for twice in a turn', async () => {
  const { call, held } = await open()
  const { data } = await call('look')
  await call('send')
  const listed = await call('call_status')
  expect(listed.data.calls.map(({ toolId, running }) => [toolId, running])).toEqual([
    ['look', true],
    ['send', true],
  ])
  expect(await call('call_status', { call_id: data.callId })).toMatchObject({ data: { calls: [{ toolId: 'look' }] } })
  expect(await call('call_status', { call_id: 'call_other' })).toMatchObject({ data: { calls: [] } })
  held.open()
})

test('a read is stopped, a write that has begun runs on, and what does not run is said not to', async () => {
  const { call, session, held } = await open()
  const [look, send] = [await call('look'), await call('send')]
  const stop = ({ data }) => call('call_cancel', { call_id: data.callId })
  expect((await stop(look)).data).toEqual({ callId: look.data.callId, outcome: 'aborted' })
  expect((await stop(send)).data).toEqual({ callId: send.data.callId, outcome: 'unknown' })
  expect((await call('call_cancel', { call_id: 'call_other' })).error).toMatchObject({
    type: 'NOT_FOUND',
    message: 'no call `call_other` runs here',
  })
  held.open()
  const responses = []
  for await (const result of session.results()) {
    responses.push([result.toolId, result.response.ok])
    await result.accept()
    if (responses.length === 2) break
  }
  expect(responses).toEqual([
    ['look', false],
    ['send', true],
  ])
})
