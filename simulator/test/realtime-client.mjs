// The real `openai` Realtime client over wss, with its events collected so that a test can wait for them.

import OpenAI from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { makeCertificate } from './certificate.mjs'
import { simulate } from './simulate.mjs'

export const certificate = await makeCertificate()

/**
 * @param {import('node:test').TestContext} t
 * @param {object} [scenario] the shipped default without
 */
export function simulateRealtime(t, scenario) {
  return simulate(t, scenario, { tls: certificate })
}

/**
 * @param {import('node:test').TestContext} t
 * @param {{ url: string }} sim
 * @param {object} [session] of a first session.update; text answers, no turn detection unless it says otherwise
 */
export async function connectRealtime(t, sim, session = {}) {
  const openai = new OpenAI({ apiKey: 'sk-SECRET', baseURL: `${sim.url}/v1` })
  const realtime = new OpenAIRealtimeWS({ model: 'gpt-realtime', options: { ca: certificate.cert } }, openai)
  const inbox = []
  let wake = () => {}
  realtime.on('event', event => {
    inbox.push(event)
    wake()
  })
  realtime.on('error', () => wake())
  t.after(() => realtime.socket.terminate())
  /** Takes events up to and including the first of this type that fits. */
  const until = async (type, fits = () => true) => {
    for (;;) {
      const at = inbox.findIndex(event => event.type === type && fits(event))
      if (at !== -1) return inbox.splice(0, at + 1)
      await new Promise(resolve => (wake = resolve))
    }
  }
  const send = (...events) => events.forEach(event => realtime.send(event))
  const last = async (type, fits) => (await until(type, fits)).at(-1)
  await until('session.created')
  send({
    type: 'session.update',
    session: { type: 'realtime', output_modalities: ['text'], audio: { input: { turn_detection: null } }, ...session },
  })
  await until('session.updated')
  const client = { realtime, send, until, last }
  client.say = text =>
    send(
      {
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
      },
      { type: 'response.create' },
    )
  client.answer = (callId, value) =>
    send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: callId, output: JSON.stringify(value) },
    })
  client.untilDone = () => until('response.done')
  return client
}

export function functionTools(...names) {
  return names.map(name => ({ type: 'function', name, parameters: { type: 'object', properties: {} } }))
}

/** What was said in these events, by text or transcript. */
export function saidIn(events) {
  const isSpeech = ({ type }) =>
    type === 'response.output_text.delta' || type === 'response.output_audio_transcript.delta'
  return events
    .filter(isSpeech)
    .map(({ delta }) => delta)
    .join('')
}

/** The calls that are complete: those that a client may run. */
export function callsIn(events) {
  return events
    .filter(
      ({ type, item }) =>
        type === 'response.output_item.done' && item.type === 'function_call' && item.status === 'completed',
    )
    .map(({ item }) => item)
}

/** PCM at 24 kHz, base64: a loud square wave, or silence. */
export function speech(ms, amplitude = 8000) {
  const pcm = Buffer.alloc(48 * ms)
  for (let at = 0; at < pcm.length; at += 2) pcm.writeInt16LE((at / 2) % 100 < 50 ? amplitude : -amplitude, at)
  return pcm.toString('base64')
}
export const silence = ms => speech(ms, 0)
