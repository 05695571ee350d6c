// How each surface of a provider is configured, and what its frames say.

/**
 * @typedef {object} Surface
 * @property {'gemini' | 'openai' | 'gptLive'} provider
 * @property {(url: string) => object} server options of the voice server
 * @property {number} frames about as many as the provider sends in a run
 * @property {(frame: any) => { id: string, name: string, args: any }[]} calls that a frame completes
 * @property {(frame: any) => { id: string, response: any }[]} answers
 * @property {(frame: any) => string[]} cancelled ids of calls that need no answer any more
 * @property {(frame: any) => string} said words of the model
 * @property {(frame: any) => boolean} isSpeech a frame that means something else when it comes twice
 * @property {(frame: any) => boolean} begins the frame begins a response
 * @property {(frame: any) => boolean} ends the frame ends a response
 * @property {object[]} strange frames about responses, calls and turns that do not exist
 * @property {object[]} [flipped] ends of turns that are none
 * @property {object} [goAway]
 */

const parsed = text => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const geminiFrames = {
  provider: 'gemini',
  frames: 16,
  calls: frame => frame?.toolCall?.functionCalls ?? [],
  answers: frame => frame?.toolResponse?.functionResponses ?? [],
  cancelled: frame => frame?.toolCallCancellation?.ids ?? [],
  said: frame => frame?.serverContent?.outputTranscription?.text ?? '',
  isSpeech: frame =>
    Boolean(
      frame?.serverContent?.outputTranscription ??
      frame?.serverContent?.inputTranscription ??
      frame?.serverContent?.modelTurn,
    ),
  begins: frame => frame?.toolCall !== undefined,
  ends: frame => frame?.toolCall !== undefined,
  strange: [{ toolCallCancellation: { ids: ['function-call-0000000000000000'] } }, { usageMetadata: {} }, {}],
  flipped: [{ serverContent: { turnComplete: true } }],
  goAway: { goAway: { timeLeft: '0.4s' } },
}

const gemini = model => ({ ...geminiFrames, server: url => ({ gemini: { apiKey: 'any', baseUrl: url, model } }) })

/** The calls of a finished response. @param {any} response */
const callsOf = response =>
  response?.status === 'completed' ? response.output.filter(({ type }) => type === 'function_call').map(called) : []
const called = ({ call_id: id, name, arguments: args }) => ({ id, name, args: parsed(args) })
const outputOf = item =>
  item?.type === 'function_call_output' ? [{ id: item.call_id, response: parsed(item.output) }] : []

const openai = {
  provider: 'openai',
  frames: 50,
  server: url => ({ openai: { apiKey: 'any', baseUrl: `${url}/v1` } }),
  calls: frame => (frame?.type === 'response.done' ? callsOf(frame.response) : []),
  answers: frame => outputOf(frame?.item),
  cancelled: () => [],
  said: frame => (frame?.type === 'response.output_audio_transcript.delta' ? frame.delta : ''),
  isSpeech: frame => /delta$|transcription/.test(frame?.type),
  begins: frame => frame?.type === 'response.created',
  ends: frame => frame?.type === 'response.done',
  strange: [
    { type: 'conversation.item.done', item: { type: 'function_call_output', call_id: 'call_unknown', output: '{}' } },
    { type: 'response.output_item.done', response_id: 'resp_unknown', item: { type: 'message', content: [] } },
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'no tool call found with call_id call_unknown' },
    },
  ],
  flipped: [{ type: 'response.done', response: { id: 'resp_unknown', status: 'completed', output: [] } }],
}

const gptLive = {
  provider: 'gptLive',
  frames: 40,
  server: url => ({ gptLive: { apiKey: 'any', baseUrl: `${url}/v1` } }),
  calls: ({ event } = {}) =>
    event?.type === 'response.output_item.done' && event.item.type === 'function_call' ? [called(event.item)] : [],
  answers: frame => outputOf(frame?.item),
  cancelled: () => [],
  said: frame => (frame?.type === 'session.output_transcript.delta' ? frame.delta : ''),
  isSpeech: frame => frame?.type?.endsWith('delta') === true,
  begins: frame => frame?.event?.type === 'response.created',
  ends: frame => frame?.event?.type === 'response.completed',
  strange: [
    {
      type: 'response.event',
      delegation_id: 'dlg_unknown',
      event: { type: 'response.completed', response: { id: 'r' } },
    },
    { type: 'session.commentary.appended', client_event_id: 'unknown', delegation_id: null },
  ],
}

/** @type {Record<string, Surface>} */
export const SURFACES = {
  'gemini, older': gemini('gemini-older-live'),
  'gemini 3.8': gemini('gemini-3.8-live'),
  'openai realtime': openai,
  'gpt-live': gptLive,
}
