// Services whose frames the test itself sends: what the simulator, which behaves, does not do.
import { once } from 'node:events'
import { WebSocketServer } from 'ws'

/**
 * @typedef {object} FakeConnection
 * @property {import('ws').WebSocket} socket
 * @property {object[]} got frames of the voice server, in order
 * @property {(frame: object) => void} emit
 * @property {(fits: (frame: object) => boolean) => Promise<object>} whenGot
 */

/**
 * @param {import('node:test').TestContext} t
 * @param {object} protocol
 * @param {(connection: FakeConnection) => void} [protocol.greet] once the socket is open
 * @param {(frame: object, connection: FakeConnection) => void} protocol.read
 * @param {boolean} [protocol.isAlone] a second connection beside an open one is refused with 1011
 */
async function serve(t, { greet, read, isAlone = false }) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  const connections = []
  const refused = []
  server.on('connection', (socket, { url }) => {
    if (isAlone && connections.some(other => other.socket.readyState !== other.socket.CLOSED)) {
      refused.push(url)
      return socket.close(1011, 'another connection is open')
    }
    const waiting = new Set()
    const connection = {
      socket,
      got: [],
      emit: frame => socket.send(JSON.stringify(frame)),
      whenGot: fits =>
        new Promise(resolve => {
          const look = () => {
            const found = connection.got.find(fits)
            if (found === undefined) return
            waiting.delete(look)
            resolve(found)
          }
          waiting.add(look)
          look()
        }),
    }
    connections.push(connection)
    greet?.(connection)
    socket.on('message', data => {
      const frame = JSON.parse(data)
      connection.got.push(frame)
      read(frame, connection)
      for (const look of [...waiting]) look()
    })
  })
  await once(server, 'listening')
  t.after(() => {
    for (const { socket } of connections) socket.terminate()
    server.close()
  })
  return { connections, refused, url: `http://127.0.0.1:${server.address().port}` }
}

/** A Live service, which gives the handle `h1`; with `isMute` it answers no setup. @param {import('node:test').TestContext} t @param {{ isAlone?: boolean }} [options] */
export async function fakeGemini(t, options) {
  const state = { isMute: false }
  const read = ({ setup }, { emit }) => {
    if (setup === undefined || state.isMute) return
    emit({ setupComplete: {} })
    emit({ sessionResumptionUpdate: { newHandle: 'h1', resumable: true } })
  }
  const service = await serve(t, { read, ...options })
  return Object.assign(state, service, { settings: { gemini: { apiKey: 'any', baseUrl: service.url } } })
}

/** A Realtime service. @param {import('node:test').TestContext} t */
export async function fakeRealtime(t) {
  const service = await serve(t, {
    greet: ({ emit }) => emit({ type: 'session.created', session: {} }),
    read: ({ type }, { emit }) => type === 'session.update' && emit({ type: 'session.updated', session: {} }),
  })
  return { ...service, settings: { openai: { apiKey: 'any', baseUrl: `${service.url}/v1` } } }
}

/** The answers to calls that a connection got: `{ id, response }`. @param {FakeConnection} connection */
export const answersOf = ({ got }) =>
  got.flatMap(({ toolResponse, item }) => {
    if (item?.type === 'function_call_output') return [{ id: item.call_id, response: JSON.parse(item.output) }]
    return toolResponse?.functionResponses ?? []
  })

/** The calls of a Gemini message. @param {...{ id: string, name: string, args?: object }} calls */
export const toolCall = (...calls) => ({ toolCall: { functionCalls: calls.map(one => ({ args: {}, ...one })) } })

/** The events of a Realtime response with calls. @param {string} id @param {...{ id: string, name: string, args?: object }} calls */
export function responseWith(id, ...calls) {
  const items = calls.map(({ id: callId, name, args = {} }, at) => ({
    id: `${id}_item_${at}`,
    type: 'function_call',
    status: 'completed',
    call_id: callId,
    name,
    arguments: JSON.stringify(args),
  }))
  return [
    { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
    ...items.flatMap((item, at) => [
      {
        type: 'response.output_item.added',
        response_id: id,
        output_index: at,
        item: { ...item, status: 'in_progress', arguments: '' },
      },
      { type: 'response.output_item.done', response_id: id, output_index: at, item },
    ]),
    { type: 'response.done', response: { id, status: 'completed', output: items } },
  ]
}

/** The events of a Realtime response that says something. @param {string} id @param {string} text */
export function responseSaying(id, text) {
  const item = { id: `${id}_item`, type: 'message', role: 'assistant', status: 'completed', content: [] }
  return [
    { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
    { type: 'response.output_audio_transcript.delta', response_id: id, item_id: item.id, delta: text },
    { type: 'response.output_audio_transcript.done', response_id: id, item_id: item.id, transcript: text },
    { type: 'response.done', response: { id, status: 'completed', output: [item] } },
  ]
}
