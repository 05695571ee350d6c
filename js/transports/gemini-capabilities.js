'use strict'
// What Gemini Live takes, per surface and model: data, so that a new model is a row and not a condition.
//
// Sources: the Live API's tool page and model pages (ai.google.dev/gemini-api/docs/live-api/tools,
// .../models/gemini-3.1-flash-live-preview, .../models/gemini-3.8-live), the Agent Platform's configuration page
// (docs.cloud.google.com, configure-gemini-capabilities), and the checks in @google/genai 2.

/**
 * @typedef {object} GeminiCapabilities
 * @property {'required' | 'optional'} id whether an answer must carry the member `id`
 * @property {boolean} nonBlocking whether a declaration may say `behavior: NON_BLOCKING`
 * @property {boolean} scheduling whether an answer may say when it is spoken of
 * @property {boolean} willContinue whether an answer may announce more answers
 * @property {'clientContent' | 'realtimeInput'} text how typed text reaches the model after the first turn
 */

const ALL = { nonBlocking: true, scheduling: true, willContinue: true, text: 'clientContent' }
const NONE = { nonBlocking: false, scheduling: false, willContinue: false, text: 'clientContent' }

/** The first row that fits counts. */
const ROWS = [
  { surface: 'developer', model: /^gemini-3\.8-live/, ...ALL, id: 'required' },
  { surface: 'developer', model: /^gemini-3\.1-flash-live/, ...NONE, id: 'required', text: 'realtimeInput' },
  { surface: 'developer', model: /^gemini-(live-)?2\.5-flash/, ...ALL, id: 'required' },
  { surface: 'vertex', model: /^gemini-3\.8-live/, ...ALL, id: 'optional', willContinue: false },
  { surface: 'vertex', model: /^gemini-(live-)?2\.5-flash/, ...ALL, id: 'optional', willContinue: false },
  { surface: 'developer', model: /^/, ...NONE, id: 'required' },
  { surface: 'vertex', model: /^/, ...NONE, id: 'optional' },
]

/**
 * @param {{ surface?: 'developer' | 'vertex', model?: string }} [options] `developer` is the Gemini Developer API; an
 *   unknown model is taken to support nothing optional
 * @returns {GeminiCapabilities}
 */
function geminiCapabilities({ surface = 'developer', model = '' } = {}) {
  const name = model.replace(/^.*models\//, '')
  const found = ROWS.find((row) => row.surface === surface && row.model.test(name))
  if (!found) throw new TypeError(`unknown surface \`${surface}\`, must be \`developer\` or \`vertex\``)
  const { id, nonBlocking, scheduling, willContinue, text } = found
  return { id, nonBlocking, scheduling, willContinue, text }
}

module.exports = { geminiCapabilities }
