// What happens while a call of an MCP client runs: cancellation, progress, turns, and a client that goes.
import { InMemoryTransport } from '@modelcontextprotocol/client'

import { eventually, gateway, openGate } from '../support/gate.mjs'
import { asked, attached, connectClient, envelopeOf } from './support.mjs'

/** A tool that runs until it is let go or stopped, and reports which. */
function held(fields = {}) {
  const { open, passed } = gateway()
  const told = { started: 0, aborted: 0 }
  const execute = async ({ signal }) => {
    told.started += 1
    signal.addEventListener('abort', () => {
      told.aborted += 1
    })
    await passed
    return { ok: true, data: 'done' }
  }
  return { told, open, tool: { execute, ...fields } }
}

describe('cancellation', () => {
  test('a read is stopped, and nobody is answered', async () => {
    const { told, tool, open } = held({ kind: 'read' })
    const { registry, lines } = await openGate({ look: tool, other: {} })
    const { client, frames } = await attached(registry)
    const stop = new AbortController()
    const call = client.callTool({ name: 'look' }, { signal: stop.signal })
    await eventually(() => told.started === 1, 'a start')
    stop.abort('no more of that')
    await expect(call).rejects.toThrow('no more of that')
    await eventually(() => told.aborted === 1, 'an abort')
    open()
    await client.callTool({ name: 'other' })
    // initialize and the other call.
    expect(frames.filter(({ result, error }) => result ?? error)).toHaveLength(2)
    const line = () => lines.find(({ event }) => event === 'tool_cancelled')
    await eventually(line, 'an audit line')
    expect(line()).toMatchObject({ toolId: 'look', outcome: 'aborted', reason: 'the MCP client cancelled the request' })
    // The client's own words are never the reason.
    expect(JSON.stringify(lines)).not.toContain('no more of that')
  })

  test('a write that has begun runs on', async () => {
    const { told, tool, open } = held({ kind: 'write' })
    const { registry } = await openGate({ pay: tool })
    const { client } = await attached(registry)
    const stop = new AbortController()
    const call = client.callTool({ name: 'pay' }, { signal: stop.signal })
    await eventually(() => told.started === 1, 'a start')
    stop.abort()
    await expect(call).rejects.toThrow()
    const metrics = () => registry.getMetrics().pay?.text
    await eventually(() => metrics()?.cancellations === 1, 'a cancellation')
    expect(told.aborted).toBe(0)
    open()
  })

  test('what is taken back before the gate has seen it does not run', async () => {
    let ran = 0
    const { registry } = await openGate({
      pay: {
        kind: 'write',
        execute: () => {
          ran += 1
          return { ok: true }
        },
      },
    })
    const { transport, client } = await attached(registry)
    await Promise.all([
      transport.send({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'pay' } }),
      transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } }),
    ])
    await client.callTool({ name: 'pay' })
    expect(ran).toBe(1)
  })
})

describe('a client that goes', () => {
  test('its session ends, and what may be stopped is', async () => {
    const { told, tool } = held({ kind: 'read' })
    const { registry, lines } = await openGate({ look: tool })
    const { client } = await attached(registry)
    const call = client.callTool({ name: 'look' })
    call.catch(() => {})
    await eventually(() => told.started === 1, 'a start')
    await client.close()
    await eventually(() => told.aborted === 1, 'an abort')
    await eventually(
      () => lines.some(({ event, reason }) => event === 'session_ended' && /client has gone/.test(reason)),
      'the end of its session',
    )
  })

  test('a session that the host has named goes on', async () => {
    const { registry, lines } = await openGate({ other: {} })
    const options = { session: { sessionId: 'of-the-host', principal: 'user-17' } }
    const first = await attached(registry, { options })
    await first.client.callTool({ name: 'other' })
    await first.client.close()
    const second = await attached(registry, { options })
    expect(envelopeOf(await second.client.callTool({ name: 'other' })).ok).toBe(true)
    await registry.close()
    expect(
      lines.map(({ event }) => event).filter(event => event === 'session_started' || event === 'session_ended'),
    ).toEqual(['session_started'])
  })

  test('a server that is connected again begins anew', async () => {
    const { registry, lines } = await openGate({ other: {} })
    const { client, server } = await attached(registry)
    await client.callTool({ name: 'other' })
    await client.close()
    const [here, there] = InMemoryTransport.createLinkedPair()
    await server.connect(there)
    const again = await connectClient(here)
    expect(envelopeOf(await again.client.callTool({ name: 'other' })).ok).toBe(true)
    await eventually(() => lines.filter(({ event }) => event === 'session_started').length === 2, 'two sessions')
  })

  test('a session that is made as its client goes ends too', async () => {
    const { registry, lines } = await openGate({ other: {} })
    const { client, transport } = await attached(registry)
    await Promise.all([
      transport.send({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'other' } }),
      client.close(),
    ])
    await eventually(() => lines.some(({ event }) => event === 'session_ended'), 'the end of its session')
    await registry.close()
    expect(lines.some(({ event }) => event === 'tool_execution')).toBe(false)
  })

  test('who makes no call has no session', async () => {
    const { registry, lines } = await openGate({ other: {} })
    const { client } = await attached(registry)
    await client.listTools()
    await client.close()
    await registry.close()
    expect(lines.filter(({ event }) => event.startsWith('session_'))).toEqual([])
  })
})

describe('progress', () => {
  const news = frames => frames.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)

  test('what a handler says, and signs of life, in numbers that grow', async () => {
    const { open, passed } = gateway()
    const execute = async ({ progress }) => {
      for (const update of ['begun', { message: 'half', done: 5 }, { done: 7 }, 'x'.repeat(1000)]) progress(update)
      await passed
      progress('nearly')
      return { ok: true }
    }
    const { registry } = await openGate({ work: { execute } })
    const { client, frames } = await attached(registry, { options: { heartbeatMs: 5 } })
    const call = client.callTool({ name: 'work' }, { onprogress: () => {} })
    await eventually(() => news(frames).length >= 8, 'signs of life')
    open()
    await call
    const told = news(frames)
    expect(told.flatMap(({ message }) => message ?? [])).toEqual([
      'begun',
      'half',
      '{"done":7}',
      `${'x'.repeat(299)}…`,
      'nearly',
    ])
    expect(new Set(told.map(({ progressToken }) => progressToken)).size).toBe(1)
    for (const [at, { progress }] of told.entries()) expect(progress).toBeGreaterThan(told[at - 1]?.progress ?? 0)
    // After the answer its token means nothing; at five milliseconds each, some would have come.
    await new Promise(resolve => setTimeout(resolve, 60))
    expect(frames.findLastIndex(({ method }) => method === 'notifications/progress')).toBeLessThan(
      frames.findIndex(({ id, result }) => id !== undefined && result?.content),
    )
  })

  test('what has a total is told with it, and still grows: after a sign of life, backwards and too far', async () => {
    const execute = async ({ progress }) => {
      progress('begun')
      for (const figure of [1, 3, 2, 400, -1, 'x']) progress({ progress: figure, total: 4 })
      progress({ progress: 5 })
      progress({ progress: 4, total: 8, message: 'more' })
      return { ok: true }
    }
    const { registry } = await openGate({ work: { execute } })
    const { client, frames } = await attached(registry)
    await client.callTool({ name: 'work' }, { onprogress: () => {} })
    const [begun, ...told] = news(frames)
    expect([begun.message, begun.total]).toEqual(['begun', undefined])
    for (const [at, { progress }] of told.entries()) expect(progress).toBeGreaterThan(told[at - 1]?.progress ?? 0)
    const from = begun.progress
    expect(told.map(({ progress }) => Math.round((progress - from) * 1000) / 1000)).toEqual([1, 3, 3, 4, 4, 4, 4, 4])
    expect(told.map(({ total }) => Math.round((total - from) * 1000) / 1000)).toEqual([4, 4, 4, 4, 4, 4, 4, 8])
    expect(told.flatMap(({ message }) => message ?? [])).toEqual([
      '{"progress":-1,"total":4}',
      '{"progress":"x","total":4}',
      'more',
    ])
  })

  test('keeps a client from giving up', async () => {
    const { open, passed } = gateway()
    const { registry } = await openGate({
      work: {
        execute: async () => {
          await passed
          return { ok: true }
        },
      },
    })
    const { client, frames } = await attached(registry, { options: { heartbeatMs: 20 } })
    const call = client.callTool(
      { name: 'work' },
      {
        onprogress: () => {},
        timeout: 1500,
        resetTimeoutOnProgress: true,
      },
    )
    // As patient, without notifications.
    await expect(client.callTool({ name: 'work' }, { timeout: 1500 })).rejects.toThrow(/timed out/)
    const before = news(frames).length
    await eventually(() => news(frames).length > before, 'another sign of life')
    open()
    expect(envelopeOf(await call).ok).toBe(true)
  })

  test('nothing is told where nobody asked', async () => {
    const { registry } = await openGate({
      work: {
        execute: async ({ progress }) => {
          progress('begun')
          await new Promise(resolve => setTimeout(resolve, 30))
          return { ok: true }
        },
      },
    })
    const { client, frames } = await attached(registry, { options: { heartbeatMs: 5 } })
    await client.callTool({ name: 'work' })
    expect(news(frames)).toEqual([])
  })
})

describe('turns', () => {
  const LOOKS = { look: { kind: 'read', properties: { at: { type: 'integer' } } } }
  const looks = async (client, count) => {
    const answers = []
    for (let at = 0; at < count; at += 1)
      answers.push(envelopeOf(await client.callTool({ name: 'look', arguments: { at } })))
    return answers.map(({ ok, error, meta }) => [ok || error.type, meta.turn])
  }

  test('calls without a pause share a turn and its budgets', async () => {
    const { registry } = await openGate(LOOKS)
    const { client } = await attached(registry, { options: { meta: 'full' } })
    expect(await looks(client, 6)).toEqual([...Array(5).fill([true, 1]), ['BUDGET_EXCEEDED', 1]])
  })

  test('a call after a pause begins another', async () => {
    const { registry } = await openGate(LOOKS)
    const { client } = await attached(registry, { options: { turnGapMs: 0, meta: 'full' } })
    expect(await looks(client, 6)).toEqual([1, 2, 3, 4, 5, 6].map(turn => [true, turn]))
  })

  test('calls at the same time share one, however long ago the last was', async () => {
    const { tool, open, told } = held(LOOKS.look)
    const { registry } = await openGate({ look: tool })
    const client = await attached(registry, { options: { turnGapMs: 0, meta: 'full' } })
    const requests = [1, 2, 3].map(at => client.client.callTool({ name: 'look', arguments: { at } }))
    await eventually(() => told.started === 3, 'three starts')
    open()
    expect((await Promise.all(requests)).map(result => envelopeOf(result).meta.turn)).toEqual([1, 1, 1])
  })
})

test('a call that waits for a slow one is not answered twice', async () => {
  const { tool, open, told } = held({ kind: 'read' })
  const { registry } = await openGate({ look: tool })
  const client = await attached(registry)
  const first = asked(client, { id: 'one', method: 'tools/call', params: { name: 'look' } })
  await eventually(() => told.started === 1, 'a start')
  const second = asked(client, { id: 'two', method: 'tools/call', params: { name: 'look' } })
  open()
  const answers = await Promise.all([first, second])
  expect(answers.map(({ result }) => envelopeOf(result).data)).toEqual(['done', 'done'])
})
