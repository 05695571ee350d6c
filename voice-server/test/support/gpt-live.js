// A GPT-Live conversation: the same tools and words, with a Responses backend and with work of the host.
import { call, on, say, startFixture, voice } from './fixture.js'

export const ARGS = { text: 'buy milk' }
export const READ_BACK = 'Note save: text: buy milk. Shall I do that?'
/** Long enough for the gate to know the call again. */
let calls = 0
const idOf = name => `call_of_the_host_${name}_${(calls += 1)}`

/** What the host's agent does, by a word of the transcript: calls a tool and says what came of it. */
async function work({ transcript, session }) {
  const [, name, args, told] = Object.values(PLANS).find(([word]) => transcript.includes(word)) ?? []
  if (name === undefined) return `Heard: ${transcript}`
  const response = await session.execute({ id: idOf(name), name, args })
  return response.ok ? told : `It waits: ${response.error.type}`
}

/** A word of the user → the tool, its arguments, and what is said about its result. */
const PLANS = {
  save: ['save', 'note_save', ARGS, 'It is saved.'],
  set: ['set', 'cue_set', { cue: 'a' }, 'The cue is set.'],
  look: ['look', 'slow_read', {}, 'I found it.'],
  start: ['start', 'job_run', { job: 'a' }, 'The job has begun.'],
}

export const MODES = {
  responses: {
    rules: Object.values(PLANS).map(([word, name, args, told]) =>
      on({ contains: word }, [call(name, args)], [say(told)]),
    ),
    server: {},
  },
  host: {
    rules: Object.values(PLANS).map(([word]) => on({ contains: word }, [call('work')])),
    server: { delegate: work },
  },
}

/**
 * @param {import('node:test').TestContext} t
 * @param {'responses' | 'host'} mode
 * @param {object} [options] of the fixture; `server`: more options of the server, `rules`: before those of the mode
 */
export async function startLive(t, mode, { server = {}, rules = [], handlers = {}, ...options } = {}) {
  const notes = []
  const note_save = async ({ args }) => {
    notes.push(args.text)
    return { ok: true, data: { saved: args.text } }
  }
  const fixture = await startFixture(t, {
    provider: 'gptLive',
    handlers: { note_save, ...handlers },
    rules: [...rules, ...MODES[mode].rules],
    server: { ...MODES[mode].server, ...server },
    ...options,
  })
  const { sim, start, model } = fixture
  const sounds = () => sim.received.filter(({ json }) => json?.type === 'session.input_audio.append').length
  return {
    ...fixture,
    notes,
    begin: async frame => {
      const client = await start(frame)
      return Object.assign(client, {
        /** Words of the user that the n-th connection transcribes. */
        hears: async (words, n = 1) => (await model(n)).hear(words),
        /** The same with a voice. */
        speaks: async (words, n = 1) => {
          const before = sounds()
          client.send(voice(300))
          await sim.whenReceived(() => sounds() > before)
          ;(await model(n)).hear(words)
        },
      })
    },
    /** Client events of a type, in order. */
    sent: type => sim.received.flatMap(({ json }) => (json?.type === type ? [json] : [])),
  }
}

export const isSaid = wanted => frame =>
  frame.type === 'transcript' && frame.direction === 'output' && frame.text.includes(wanted)
export const isReconnected = ({ type, provider }) => type === 'state' && provider === 'reconnected'
/** How often words were said to the user. */
export const timesSaid = (client, wanted) => client.frames.filter(isSaid(wanted)).length
