'use strict'
// Capabilities of Gemini Live by surface and model, as a table. Each row names its source; undocumented capabilities
// are treated as unsupported.

/**
 * @typedef {object} GeminiCapabilities
 * @property {'required' | 'optional'} id whether an answer must carry the member `id`
 * @property {boolean} nonBlocking whether a declaration may set `behavior: NON_BLOCKING`
 * @property {boolean} scheduling whether an answer may set its `scheduling`
 * @property {boolean} willContinue whether an answer may announce more answers
 * @property {'stops' | 'continues'} pendingAudio whether the model continues speaking while a call without `behavior`
 *   is pending
 * @property {'clientContent' | 'realtimeInput'} text how typed text reaches the model after the first turn
 */

/** @typedef {Omit<GeminiCapabilities, 'id'>} OptionalCapabilities */

/** @type {OptionalCapabilities} */
const ALL = { nonBlocking: true, scheduling: true, willContinue: true, pendingAudio: 'stops', text: 'clientContent' }
/** @type {OptionalCapabilities} */
const NONE = {
  nonBlocking: false,
  scheduling: false,
  willContinue: false,
  pendingAudio: 'stops',
  text: 'clientContent',
}

const TOOLS = 'ai.google.dev/gemini-api/docs/live-api/tools; the enum `Behavior` of @google/genai 2'
const FLASH_31 = 'ai.google.dev/gemini-api/docs/models/gemini-3.1-flash-live-preview'
const LIVE_38 = 'ai.google.dev/gemini-api/docs/models/gemini-3.8-live'
const PLATFORM =
  'docs.cloud.google.com/gemini-enterprise-agent-platform/models/live-api: asynchronous-function-calling, ' +
  'configure-gemini-capabilities; `FunctionResponse.willContinue` in the types of @google/genai 2'
const SDK = 'the checks of `sendToolResponse` and of the converters in @google/genai 2'

/**
 * The first matching row applies.
 * @type {(GeminiCapabilities & { surface: 'developer' | 'vertex', model: RegExp, source: string })[]}
 */
const ROWS = [
  { surface: 'developer', model: /^gemini-3\.8-live/, ...ALL, id: 'required', source: LIVE_38 },
  {
    surface: 'developer',
    model: /^gemini-3\.1-flash-live/,
    ...NONE,
    id: 'required',
    text: 'realtimeInput',
    source: FLASH_31,
  },
  { surface: 'developer', model: /^gemini-(live-)?2\.5-flash/, ...ALL, id: 'required', source: TOOLS },
  {
    surface: 'vertex',
    model: /^gemini-3\.8-live/,
    ...ALL,
    id: 'optional',
    willContinue: false,
    pendingAudio: 'continues',
    source: PLATFORM,
  },
  {
    surface: 'vertex',
    model: /^gemini-(live-)?2\.5-flash/,
    ...ALL,
    id: 'optional',
    willContinue: false,
    pendingAudio: 'continues',
    source: PLATFORM,
  },
  { surface: 'developer', model: /^/, ...NONE, id: 'required', source: SDK },
  { surface: 'vertex', model: /^/, ...NONE, id: 'optional', source: SDK },
]

/**
 * @param {{ surface?: 'developer' | 'vertex', model?: string }} [options] `developer` is the Gemini Developer API; an
 *   unknown model is treated as supporting nothing optional
 * @returns {GeminiCapabilities}
 */
function geminiCapabilities({ surface = 'developer', model = '' } = {}) {
  const name = model.replace(/^.*models\//, '')
  const found = ROWS.find(row => row.surface === surface && row.model.test(name))
  if (!found) throw new TypeError(`unknown surface \`${surface}\`, must be \`developer\` or \`vertex\``)
  const { id, nonBlocking, scheduling, willContinue, pendingAudio, text } = found
  return { id, nonBlocking, scheduling, willContinue, pendingAudio, text }
}

module.exports = { geminiCapabilities, ROWS }
