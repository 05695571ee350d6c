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
  async 'voice: a search is answered with its source in words'({ voice }) {
    const talk = await VoiceTalk.start(voice)
    const { text, results, audioBytes } = await talk.say('what is our process for onboarding')
    await talk.close()
    assert.deepEqual(
      results.map(({ name, ok }) => ({ name, ok })),
      [{ name: 'kb_search', ok: true }],
    )
    assert.match(text, /\bAccording to \p{L}/u)
    assert.doesNotMatch(text, CITATION)
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

/** Utterances that make the simulator call the tool, and how its answer ends without a role, an image or a camera. */
const TOOL_CALLS = [
  ['calculate_roi', 'what is the roi of 40000 if we gain 58000', 'ok'],
  ['calendar_create_event', 'schedule a review with ada@example.com', 'CONFIRMATION_REQUIRED'],
  ['calendar_get_availability', 'when am I free', 'ok'],
  ['capture_screen_snapshot', 'what is on my screen', 'NOT_FOUND'],
  ['capture_webcam_snapshot', 'what do you see', 'NOT_FOUND'],
  ['create_calendar_widget', 'find a time for a review', 'ok'],
  ['create_chart', 'draw a bar chart of 3, 5 and 8', 'ok'],
  ['draft_follow_up_email', 'write a follow-up email to Ada about the review on Monday', 'ok'],
  ['extract_action_items', 'action items from: Mirela will send the estimate by Friday.', 'ok'],
  ['extract_contacts', 'extract contacts from Ada Example, ada@example.com', 'ok'],
  ['format_datetime', 'what time is 2030-01-15T10:00:00Z in Asia/Tokyo', 'ok'],
  ['generate_proposal_draft', 'draft a proposal for the museum about an audio guide', 'ok'],
  ['generate_summary_preview', 'summarize: The audit took three days. Two of nine pages failed.', 'ok'],
  ['image_draft_prompt', 'suggest prompts for a lighthouse made of books', 'ok'],
  ['image_generate', 'generate an image of a lighthouse made of books', 'CONFIRMATION_REQUIRED'],
  ['kb_get', 'tell me more about person:ada_example', 'ok'],
  ['kb_search', 'who knows about Rust', 'ok'],
  ['lights_list', 'which lights are on?', 'ok'],
  ['lights_set', 'dim the lights in the kitchen to 40 percent', 'CONFIRMATION_REQUIRED'],
  ['linkedin_lookup', 'linkedin profile of person:ada_example', 'ok'],
  ['rank_results', 'rank doc:a and doc:b', 'ok'],
  ['reg_describe', 'how do I use kb_search', 'ok'],
  ['reg_search', 'which tool do you have for creating events', 'ok'],
  ['search_web', 'search the web for accessibility', 'ok'],
  ['start_voice_session', "let's talk about clay", 'ok'],
  ['validate_email', 'is ada@example.com valid', 'ok'],
]

for (const [tool, utterance, outcome] of TOOL_CALLS) {
  checks[`text: ${tool}`] = async ({ web }) => {
    const { text, results } = await new TextTalk(web).say(utterance)
    const outcomes = results.map(({ toolName, output }) => [toolName, output.ok ? 'ok' : output.error.type])
    // A meeting without a time looks for a free one first.
    assert.deepEqual(outcomes.at(-1), [tool, outcome], text)
  }
}

checks['voice: end_voice_session'] = async ({ voice }) => {
  const talk = await VoiceTalk.start(voice)
  const { results } = await talk.say('goodbye')
  await talk.close()
  assert.deepEqual(
    results.map(({ name, ok }) => [name, ok]),
    [['end_voice_session', true]],
  )
}

checks['text: ignore_user, which pauses the session'] = async ({ web }) => {
  const { results } = await new TextTalk(web).say('ignore me')
  assert.deepEqual(
    results.map(({ toolName, output }) => [toolName, output.ok]),
    [['ignore_user', true]],
  )
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
