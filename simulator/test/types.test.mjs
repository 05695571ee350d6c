// Checks the simulator's output against the types of the providers' SDKs: the compiler finds missing and unknown
// members.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'node:test'
import { connectRealtime, functionTools, silence, simulateRealtime, speech } from './realtime-client.mjs'
import { simulate } from './simulate.mjs'

const { resolve } = createRequire(import.meta.url)
const TSC = resolve('typescript/bin/tsc')
/** Folder of the installed SDKs. */
const PACKAGES = dirname(dirname(resolve('typescript/package.json')))

/** @returns {Promise<string>} the compiler's errors for these values and types; empty if there are none */
async function complaints(t, values) {
  const folder = await mkdtemp(join(tmpdir(), 'toolgate-types-'))
  t.after(() => rm(folder, { recursive: true }))
  await symlink(PACKAGES, join(folder, 'node_modules'))
  const file = join(folder, 'sent.mts')
  const lines = values.map(
    ({ type, value }, index) => `export const value${index}: ${type} = ${JSON.stringify(value)};`,
  )
  await writeFile(file, `${TYPES}\n${lines.join('\n')}\n`)
  const args = [TSC, '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', file]
  return promisify(execFile)(process.execPath, args).then(
    () => '',
    ({ stdout }) => stdout,
  )
}

/** Adapts the types: the service's examples have null for optional members, and some members that the types lack. */
const TYPES = `
import type { Message, RawMessageStreamEvent, TextBlock } from '@anthropic-ai/sdk/resources/messages';
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
type Plain<T> = T extends TextBlock ? Omit<T, 'citations'> & Partial<Pick<T, 'citations'>> : T;
type SentMessage = Omit<Message, 'content'> & { content: Plain<Message['content'][number]>[] };
type MessageEvent<E> = E extends { message: Message } ? Omit<E, 'message'> & { message: SentMessage }
  : E extends { content_block: infer Block } ? Omit<E, 'content_block'> & { content_block: Plain<Block> } : E;
type OrNull<T> = T extends object ? { [K in keyof T]: OrNull<T[K]> | (undefined extends T[K] ? null : never) } : T;
type RealtimeEvent = OrNull<RealtimeServerEvent>;
type SentResponse = Omit<Response, 'output_text'> & { store: boolean };
type Sent<Event> = Event extends { response: Response } ? Omit<Event, 'response'> & { response: SentResponse } : Event;
type ResponseEvent = Sent<ResponseStreamEvent>;
// @ts-expect-error a response has no state: the compiler does look
export const wrong: RealtimeEvent = { type: 'response.done', event_id: 'e', response: { state: 'done' } };
`

const call = { call: { name: 'a', args: { x: 1 } } }
const rules = [
  {
    when: { user: 'go' },
    steps: [{ emit: [{ say: 'Hello' }, call, { call: { ...call.call, cut: true } }, { finish: 'length' }] }],
  },
  { when: { user: 'fail' }, steps: [{ emit: [{ say: 'a' }, { error: { message: 'broken', code: 'server_error' } }] }] },
  { steps: [{ emit: [{ say: 'Hello' }, call] }] },
]

async function realtimeEvents(t) {
  const sim = await simulateRealtime(t, { rules, audio: { transcripts: ['first'] } })
  const input = {
    transcription: { model: 'whisper-1' },
    turn_detection: { type: 'server_vad', silence_duration_ms: 100 },
  }
  for (const modality of ['text', 'audio']) {
    const client = await connectRealtime(t, sim, {
      output_modalities: [modality],
      tools: functionTools('a'),
      audio: { input },
    })
    for (const text of ['go', 'fail', 'else']) {
      client.say(text)
      await client.untilDone()
    }
    for (const audio of [speech(200), silence(200), speech(200)])
      client.send({ type: 'input_audio_buffer.append', audio })
    await client.untilDone()
    client.send({ type: 'input_audio_buffer.append', audio: silence(200) })
    await client.untilDone()
    client.send({ type: 'input_audio_buffer.clear' }, { type: 'response.cancel' })
    const { item } = sim.realtime.connections.at(-1).sent.findLast(event => event.item?.role === 'assistant')
    client.send({ type: 'conversation.item.retrieve', item_id: item.id })
    client.send({ type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: 1 })
    client.send({ type: 'conversation.item.delete', item_id: item.id })
    await client.until('conversation.item.deleted')
  }
  const sent = sim.realtime.connections.flatMap(connection => structuredClone(connection.sent))
  for (const { response, session = {} } of sent) {
    delete response?.status_details?.error?.message
    for (const name of ['object', 'id', 'expires_at']) delete session[name]
  }
  assert.ok(new Set(sent.map(({ type }) => type)).size > 28)
  return sent.map(value => ({ type: 'RealtimeEvent', value }))
}

/** The answers of one endpoint, whole and streamed. */
async function answersOf(t, path, bodies, [whole, event]) {
  const sim = await simulate(t, { rules })
  const values = []
  for (const body of bodies) {
    const ask = async more => {
      const headers = { 'anthropic-version': '2023-06-01' }
      const response = await fetch(sim.url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model: 'm', ...body, ...more }),
      })
      return response.text()
    }
    values.push({ type: whole, value: JSON.parse(await ask({})) })
    const events = [...(await ask({ stream: true })).matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json))
    // the SDK's types have no pings
    for (const value of events) if (value.type !== 'ping') values.push({ type: event, value })
  }
  assert.ok(values.length > 10)
  return values
}

test('all that is sent is of the types that `openai` and @anthropic-ai/sdk publish', async t => {
  const inputs = ['go', 'fail', 'else'].map(input => ({ input, tools: [{ ...functionTools('a')[0], strict: false }] }))
  const chats = ['go', 'else'].map(content => ({ messages: [{ role: 'user', content }] }))
  const values = [
    ...(await realtimeEvents(t)),
    ...(await answersOf(t, '/v1/responses', inputs, ['SentResponse', 'ResponseEvent'])),
    ...(await answersOf(t, '/v1/chat/completions', chats, ['ChatCompletion', 'ChatCompletionChunk'])),
    ...(await answersOf(
      t,
      '/v1/messages',
      chats.map(chat => ({ ...chat, max_tokens: 9 })),
      ['SentMessage', 'MessageEvent<RawMessageStreamEvent>'],
    )),
  ]
  assert.equal(await complaints(t, values), '')
})
