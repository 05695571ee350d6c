// `npm run smoke`: uses the services of `npm start`, by voice protocol and over HTTP, and checks what the main job
// must do. With `--start` it starts everything itself, on free ports, and ends it.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'

import { startServices } from './services.mjs'
import { TextTalk } from './smoke/text-talk.mjs'
import { VoiceTalk } from './smoke/voice-talk.mjs'

const { values: options } = parseArgs({
  options: {
    start: { type: 'boolean', default: false },
    voice: { type: 'string', default: `ws://127.0.0.1:${process.env.VOICE_PORT || 8788}/voice` },
    web: { type: 'string', default: `http://127.0.0.1:${process.env.WEB_PORT || 3000}` },
  },
})

/** A citation is a record's id in brackets. */
const CITATION = /\[(?:person|project|process|link|doc):[a-z0-9_]+\]/

const checks = {
  async 'voice: a search is answered with citations'({ voice }) {
    const talk = await VoiceTalk.start(voice)
    const { text, results, audioBytes } = await talk.say('what is our process for onboarding')
    await talk.close()
    assert.deepEqual(
      results.map(({ name, ok }) => ({ name, ok })),
      [{ name: 'kb_search', ok: true }],
    )
    assert.match(text, CITATION)
    assert.ok(audioBytes > 0, 'nothing was spoken')
  },

  async 'voice: start_voice_session is refused with MODE_RESTRICTED'({ voice }) {
    const talk = await VoiceTalk.start(voice)
    const { results } = await talk.say('demo: wrong mode')
    await talk.close()
    assert.deepEqual(
      results.map(({ name, errorType }) => ({ name, errorType })),
      [{ name: 'start_voice_session', errorType: 'MODE_RESTRICTED' }],
    )
  },

  async 'voice: the third retrieval of a turn is refused, the next turn starts fresh'({ voice }) {
    const talk = await VoiceTalk.start(voice)
    const first = await talk.say('search three times about onboarding')
    assert.deepEqual(
      first.results.map(({ ok }) => ok),
      [true, true, false],
    )
    assert.equal(first.results[2].errorType, 'BUDGET_EXCEEDED')
    const second = await talk.say('what is our process for invoices')
    await talk.close()
    assert.deepEqual(
      second.results.map(({ ok }) => ok),
      [true],
    )
  },

  async 'voice: one provider call sent twice runs once'({ voice }) {
    const talk = await VoiceTalk.start(voice)
    const { results, text } = await talk.say('demo: same call twice')
    await talk.close()
    assert.deepEqual(
      results.map(({ ok }) => ok),
      [true, true],
    )
    assert.match(text, /Answered from the record: true/)
  },

  async 'voice: a reconnect that replays a turn runs nothing again'({ voice }) {
    const talk = await VoiceTalk.start(voice)
    const before = await talk.say('demo: fixed id', 'utterance-1')
    assert.match(before.text, /Answered from the record: false/)
    const { sessionId, resumeToken, turn } = talk.started
    talk.drop()
    const resumed = await VoiceTalk.start(voice, { sessionId, resumeToken })
    assert.equal(resumed.started.resumed, true)
    assert.ok(resumed.started.turn >= turn)
    const after = await resumed.say('demo: fixed id', 'utterance-1')
    await resumed.close()
    assert.match(after.text, /Answered from the record: true/)
  },

  async 'text: the page finds the session of a voice call, and no one else does'({ voice, web }) {
    const talk = await VoiceTalk.start(voice)
    await talk.say('what is our process for onboarding')
    const { sessionId, resumeToken } = talk.started
    const answer = async token => {
      const response = await fetch(`${web}/api/confirmations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          confirmationToken: 'tgc_never_asked',
          decision: 'approve',
          voice: { sessionId, resumeToken: token },
        }),
      })
      const { response: refused, error = refused?.error } = await response.json()
      return { status: response.status, type: error.type }
    }
    // The session exists there, with its owner, but no question was asked.
    assert.deepEqual(await answer(resumeToken), { status: 410, type: 'CONFIRMATION_EXPIRED' })
    assert.deepEqual(await answer('somebody-elses-token'), { status: 401, type: 'AUTH' })
    await talk.close()
  },

  async 'text: a search is answered with citations'({ web }) {
    const { text, results } = await new TextTalk(web).say('who knows about Rust')
    assert.deepEqual(
      results.map(({ toolName, output }) => ({ toolName, ok: output.ok })),
      [{ toolName: 'kb_search', ok: true }],
    )
    assert.match(text, CITATION)
  },

  async 'text: end_voice_session is refused with MODE_RESTRICTED'({ web }) {
    const { results } = await new TextTalk(web).say('demo: wrong mode')
    assert.deepEqual(
      results.map(({ output }) => output.error.type),
      ['MODE_RESTRICTED'],
    )
  },

  async 'text: one provider call sent twice runs once'({ web }) {
    const talk = new TextTalk(web)
    const { results } = await talk.say('demo: same call twice')
    assert.deepEqual(
      results.map(({ output }) => output.meta._idempotent_cache_hit ?? false),
      [false, true],
    )
  },
}

async function main() {
  const services = options.start ? await startServices(await freePorts()) : null
  const places = services === null ? options : { voice: services.voiceUrl, web: services.webUrl }
  let failed = 0
  try {
    for (const [title, check] of Object.entries(checks)) {
      try {
        await check(places)
        console.log(`✓ ${title}`)
      } catch (error) {
        failed += 1
        console.error(`✗ ${title}\n  ${String(error.message).replaceAll('\n', '\n  ')}`)
      }
    }
  } finally {
    await services?.stop()
  }
  console.log(`${Object.keys(checks).length - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

async function freePorts() {
  const [simulatorPort, voicePort, webPort] = await Promise.all([freePort(), freePort(), freePort()])
  return { simulatorPort, voicePort, webPort, audit: 'none' }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

main().catch(error => {
  console.error(`${error.message}${options.start ? '' : '\nis `npm start` running?'}`)
  process.exitCode = 1
})
