// The real @google/genai Live client, with its messages collected so that a test can wait for them.

import { GoogleGenAI, Modality } from '@google/genai'

/**
 * @param {import('node:test').TestContext} t
 * @param {{ url: string }} sim
 * @param {object} [config] LiveConnectConfig; answers come as text unless it says otherwise
 * @param {object} [clientOptions] and `model`
 */
export async function connectLive(
  t,
  sim,
  config = {},
  { model = 'gemini-live-2.5-flash-preview', ...clientOptions } = {},
) {
  const inbox = []
  let wake = () => {}
  const closed = withResolvers()
  const ai = new GoogleGenAI({ apiKey: 'SECRET_KEY', httpOptions: { baseUrl: sim.url }, ...clientOptions })
  const session = await ai.live.connect({
    model,
    config: { responseModalities: [Modality.TEXT], ...config },
    callbacks: {
      onmessage: message => {
        inbox.push(JSON.parse(JSON.stringify(message)))
        wake()
      },
      onclose: ({ code, reason }) => {
        closed.resolve({ code, reason })
        wake()
      },
    },
  })
  t.after(() => session.close())
  /** Takes messages up to and including the first that fits; setupComplete is left out. */
  const take = async predicate => {
    for (;;) {
      const at = inbox.findIndex(predicate)
      if (at !== -1) return inbox.splice(0, at + 1).filter(frame => frame.setupComplete === undefined)
      await new Promise(resolve => (wake = resolve))
    }
  }
  return {
    session,
    closed: closed.promise,
    until: take,
    untilTurn: () => take(frame => frame.serverContent?.turnComplete),
  }
}

function withResolvers() {
  const parts = {}
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }))
  return parts
}

/** Resolves once the simulator has handled the earlier frames. */
export function whenAnswered(sim, id) {
  return sim.whenReceived(({ json }) => json?.toolResponse?.functionResponses.some(response => response.id === id))
}

export function textOf(frames) {
  return frames
    .flatMap(frame => frame.serverContent?.modelTurn?.parts ?? [])
    .map(part => part.text ?? '')
    .join('')
}

export function functionsOf(frames) {
  return frames.flatMap(frame => frame.toolCall?.functionCalls ?? [])
}

/** Silence of the given duration, like a microphone at 16 kHz. */
export function pcm(ms) {
  return { mimeType: 'audio/pcm;rate=16000', data: Buffer.alloc(32 * ms).toString('base64') }
}
