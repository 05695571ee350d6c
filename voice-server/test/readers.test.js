// Parsing of provider messages, valid and malformed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GeminiReader } from '../src/providers/gemini/gemini-reader.js'
import { GptLiveReader } from '../src/providers/gpt-live/gpt-live-reader.js'
import { OpenAIReader } from '../src/providers/openai/openai-reader.js'
import { VoiceActivityDetector } from '../src/audio/voice-activity-detector.js'
import { silence, voice } from './support/fixture.js'

const gemini = () => new GeminiReader(new VoiceActivityDetector())

test('gemini: everything of one message is read, whatever else is in it', () => {
  const message = {
    serverContent: {
      modelTurn: {
        parts: [
          { inlineData: { mimeType: 'audio/pcm;rate=24000', data: 'AAAA' } },
          { text: 'thinking', thought: true },
          null,
          { inlineData: 7 },
        ],
      },
      inputTranscription: { text: 'in' },
      outputTranscription: { text: 'out' },
      turnComplete: true,
    },
    sessionResumptionUpdate: { newHandle: 'h', resumable: true },
  }
  assert.deepEqual(gemini().read(message), {
    audio: [{ pcm: Buffer.alloc(3), item: null }],
    pieces: [
      { direction: 'input', key: null, text: 'in', final: true, startMs: null },
      { direction: 'output', key: null, text: 'out', final: true },
    ],
    modelSpoke: true,
    hasCalls: false,
    interrupted: false,
    turnComplete: true,
    handle: 'h',
    goAwayMs: null,
  })
})

test('gemini: the transcript of the user ends when the model starts, and starts at the detected speech', () => {
  const detector = new VoiceActivityDetector()
  const reader = new GeminiReader(detector)
  const pieces = serverContent => reader.read({ serverContent }).pieces
  detector.process(voice(500))
  assert.deepEqual(pieces({ inputTranscription: { text: 'yes ' } }), [
    { direction: 'input', key: null, text: 'yes ', final: false },
  ])
  assert.deepEqual(pieces({ inputTranscription: { text: 'please' } }), [
    { direction: 'input', key: null, text: 'please', final: false },
  ])
  assert.deepEqual(pieces({ modelTurn: { parts: [{ text: 'ok' }] } }), [
    { direction: 'input', key: null, text: '', final: true, startMs: 0 },
    { direction: 'output', key: null, text: 'ok', final: false },
  ])
  assert.deepEqual(pieces({ interrupted: true }), [{ direction: 'output', key: null, text: '', final: true }])
  detector.process(voice(500))
  assert.deepEqual(pieces({ inputTranscription: { text: 'no', finished: true } }), [
    { direction: 'input', key: null, text: 'no', final: true, startMs: 500 },
  ])
})

test('gemini: malformed members are ignored', () => {
  const nothing = {
    audio: [],
    pieces: [],
    modelSpoke: false,
    hasCalls: false,
    interrupted: false,
    turnComplete: false,
    handle: null,
    goAwayMs: null,
  }
  const messages = [
    undefined,
    null,
    7,
    'x',
    [],
    {},
    { serverContent: null },
    { serverContent: { modelTurn: { parts: {} } } },
    { serverContent: { interrupted: 'yes', turnComplete: 1 } },
    { sessionResumptionUpdate: { newHandle: 'h' } },
  ]
  for (const message of messages) assert.deepEqual(gemini().read(message), nothing)
})

test('openai: malformed members are ignored', () => {
  const nothing = {
    audio: [],
    pieces: [],
    modelSpoke: false,
    userSpoke: false,
    utterance: null,
    userStopped: false,
    speechStopped: false,
    problem: null,
    beginsTurn: false,
    interrupted: false,
    turnComplete: false,
    resumable: false,
    goAwayMs: null,
    receipts: [],
    refused: [],
  }
  const events = [
    undefined,
    null,
    7,
    'x',
    [],
    {},
    { type: 7 },
    { type: 'toString' },
    { type: '__proto__' },
    { type: 'constructor' },
    { type: 'response.created' },
    { type: 'response.output_item.done' },
    { type: 'response.output_item.done', item: { type: 'function_call', status: 'incomplete' } },
    { type: 'response.output_audio_transcript.delta', delta: 7 },
    { type: 'conversation.item.input_audio_transcription.delta', delta: {} },
  ]
  for (const event of events) assert.deepEqual(new OpenAIReader().read(event), nothing, JSON.stringify(event))
})

test('openai: a turn is over with a response that called nothing', () => {
  const reader = new OpenAIReader()
  const completes = event => reader.read(event).turnComplete
  const response = (id, status) => ({ response: { id, status } })
  completes({ type: 'response.created', ...response('a') })
  completes({
    type: 'response.output_item.done',
    response_id: 'a',
    item: { type: 'function_call', status: 'completed' },
  })
  assert.equal(completes({ type: 'response.done', ...response('a', 'completed') }), false)
  completes({ type: 'response.created', ...response('b') })
  assert.equal(completes({ type: 'response.done', ...response('b', 'completed') }), true)
  completes({ type: 'response.created', ...response('c') })
  reader.silence()
  assert.deepEqual(
    reader.read({ type: 'response.output_audio.delta', response_id: 'c', item_id: 'i', delta: 'AAAA' }).audio,
    [],
  )
  assert.equal(completes({ type: 'response.done', ...response('c', 'cancelled') }), false)
})

test('openai: words come in pieces or at once, and never twice', () => {
  const reader = new OpenAIReader()
  const pieces = event => reader.read(event).pieces
  const transcription = (name, more) => ({
    type: `conversation.item.input_audio_transcription.${name}`,
    item_id: 'u',
    ...more,
  })
  reader.read({ type: 'input_audio_buffer.speech_started', audio_start_ms: 40, item_id: 'u' })
  assert.equal(reader.isUserSpeaking, true)
  assert.deepEqual(pieces(transcription('delta', { delta: 'ye' })), [
    { direction: 'input', key: 'u', text: 'ye', final: false },
  ])
  assert.deepEqual(pieces(transcription('completed', { transcript: 'yes' })), [
    { direction: 'input', key: 'u', text: '', final: true, startMs: 40 },
  ])
  assert.deepEqual(pieces(transcription('completed', { transcript: 'yes' })), [
    { direction: 'input', key: 'u', text: 'yes', final: true, startMs: null },
  ])
  assert.deepEqual(pieces(transcription('failed')), [
    { direction: 'input', key: 'u', text: '', final: true, startMs: null },
  ])
})

const sound = pcm => ({ type: 'session.output_audio.delta', delta: pcm.toString('base64') })

test('gpt-live: silence around the voice is dropped, but for the last before it, and is no speech', () => {
  const reader = new GptLiveReader()
  const lengths = pcm => {
    const { audio, modelSpoke, isSilent } = reader.read(sound(pcm))
    return [audio.map(({ pcm: { length } }) => length), modelSpoke, isSilent]
  }
  assert.deepEqual(lengths(silence(20)), [[], false, true])
  assert.deepEqual(lengths(silence(10)), [[], false, true])
  assert.deepEqual(lengths(voice(20)), [[320, 640], true, false])
  assert.deepEqual(lengths(silence(20)), [[640], false, true])
  reader.turnOver()
  assert.deepEqual(lengths(silence(20)), [[], false, true])
  reader.isSilenced = true
  assert.deepEqual(lengths(voice(20)), [[], false, false])
})

test('gpt-live: a response of the backend is in progress until it ends', () => {
  const reader = new GptLiveReader()
  const read = (type, response = {}) =>
    reader.read({ type: 'response.event', delegation_id: 'd', event: { type, response } })
  for (const [end, problem] of [
    ['response.completed', null],
    ['response.failed', { why: 'overloaded', isRetried: true }],
    ['response.incomplete', { why: 'max_output_tokens', isRetried: false }],
  ]) {
    read('response.created')
    assert.equal(reader.hasResponse, true)
    const details = {
      error: end.includes('failed') ? { code: 'overloaded' } : null,
      incomplete_details: { reason: 'max_output_tokens' },
    }
    assert.deepEqual([read(end, details).problem, reader.hasResponse], [problem, false])
  }
  for (let at = 0; at < 1000; at += 1)
    reader.read({ type: 'response.event', delegation_id: `d${at}`, event: { type: 'response.created' } })
  for (let at = 936; at < 1000; at += 1)
    reader.read({ type: 'response.event', delegation_id: `d${at}`, event: { type: 'response.completed' } })
  assert.equal(reader.hasResponse, false)
})

test('gpt-live: what was sent is taken or refused under the id of its event', () => {
  const reader = new GptLiveReader()
  const { receipts } = reader.read({ type: 'session.commentary.appended', client_event_id: 'a' })
  assert.deepEqual(receipts, ['a'])
  assert.deepEqual(reader.read({ type: 'error', error: { client_event_id: 'b' } }).refused, ['b'])
  for (const event of [undefined, null, 7, [], {}, { type: 7 }, { type: 'toString' }, { type: 'error', error: [] }])
    assert.deepEqual([reader.read(event).refused, reader.read(event).pieces], [[], []])
})
