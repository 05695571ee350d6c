'use strict'
// What live voice models take, by surface and model, as a table. Each row names its source and when it was looked up. What no public
// document says about a row is in its `assumed`, with the reason; an undocumented capability is treated as unsupported.
//
// docs/transports.md shows the table; a test compares them.

/**
 * @typedef {import('./live-capabilities.js').Behavior} Behavior
 * @typedef {import('./live-capabilities.js').LiveCapabilities} LiveCapabilities
 */

/**
 * @typedef {object} Origin
 * @property {'developer' | 'vertex' | 'realtime' | 'live'} surface
 * @property {RegExp} model
 * @property {string} name of the row
 * @property {string} source
 * @property {string} checked the day of the look-up
 * @property {Partial<Record<keyof LiveCapabilities, string>>} [assumed] reasons
 */

const ASYNCHRONOUS = /** @type {const} */ ({ nonBlocking: true, scheduling: true, willContinue: true })
const SYNCHRONOUS = /** @type {const} */ ({
  nonBlocking: false,
  blocking: false,
  defaultBehavior: 'BLOCKING',
  scheduling: false,
  willContinue: false,
})
/** OpenAI's declarations and outputs have none of these members. */
const NO_MEMBERS = /** @type {const} */ ({
  nonBlocking: false,
  blocking: false,
  defaultBehavior: 'NON_BLOCKING',
  scheduling: false,
})

const MODELS = 'ai.google.dev/gemini-api/docs/models/'
const PLATFORM = 'docs.cloud.google.com/gemini-enterprise-agent-platform/models/live-api/'
const SDK_TYPES = 'the types of @google/genai 2 (`Behavior`, `FunctionResponse`)'
const SDK_CHECKS = 'the checks of `sendToolResponse` and of the converters in @google/genai 2'
const OPENAI_LIVE =
  '`resources/live` of the npm package openai 7.57.0; developers.openai.com/api/docs/guides/live-delegation'
const NOT_DOCUMENTED = 'no document names the model: nothing optional is used'
const ID_BY_SDK = 'the page does not say; the SDK refuses an answer of the Developer API without it'
const CHECKED = '2026-11-26'

/**
 * The first matching row applies.
 * @type {(LiveCapabilities & Origin)[]}
 */
const ROWS = [
  {
    surface: 'developer',
    model: /^gemini-3\.8-live-extended-thinking/,
    name: 'gemini-3.8-live-extended-thinking',
    ...ASYNCHRONOUS,
    blocking: false,
    defaultBehavior: 'NON_BLOCKING',
    id: 'required',
    text: 'clientContent',
    source: `${MODELS}gemini-3.8-live; ${SDK_TYPES}`,
    checked: CHECKED,
    assumed: {
      willContinue:
        "the page has asynchronous calls and scheduling; the SDK's types have `willContinue` for all of them",
      id: ID_BY_SDK,
    },
  },
  {
    surface: 'developer',
    model: /^gemini-3\.8-live/,
    name: 'gemini-3.8-live',
    ...ASYNCHRONOUS,
    blocking: true,
    defaultBehavior: 'NON_BLOCKING',
    id: 'required',
    text: 'clientContent',
    source: `${MODELS}gemini-3.8-live; ${SDK_TYPES}`,
    checked: CHECKED,
    assumed: {
      willContinue:
        "the page has asynchronous calls and scheduling; the SDK's types have `willContinue` for all of them",
      id: ID_BY_SDK,
    },
  },
  {
    surface: 'developer',
    model: /^gemini-3\.1-flash-live/,
    name: 'gemini-3.1-flash-live',
    ...SYNCHRONOUS,
    id: 'required',
    text: 'realtimeInput',
    source: `${MODELS}gemini-3.1-flash-live-preview`,
    checked: CHECKED,
    assumed: { id: ID_BY_SDK },
  },
  {
    surface: 'developer',
    model: /^gemini-(live-)?2\.5-flash/,
    name: 'gemini-2.5-flash (live)',
    ...ASYNCHRONOUS,
    blocking: false,
    defaultBehavior: 'BLOCKING',
    id: 'required',
    text: 'clientContent',
    source: `ai.google.dev/gemini-api/docs/live-api/tools; ${SDK_TYPES}`,
    checked: CHECKED,
    assumed: { blocking: 'it is the default: nothing needs to be set', id: ID_BY_SDK },
  },
  {
    surface: 'vertex',
    model: /^gemini-3\.8-live-extended-thinking/,
    name: 'gemini-3.8-live-extended-thinking',
    ...ASYNCHRONOUS,
    blocking: false,
    defaultBehavior: 'NON_BLOCKING',
    willContinue: false,
    id: 'optional',
    text: 'clientContent',
    source: `${PLATFORM}asynchronous-function-calling and migrate-from-gemini-2-5-to-gemini-3-8-live; ${SDK_TYPES}`,
    checked: CHECKED,
    assumed: { id: 'the pages answer by name alone; the SDK does not ask for it' },
  },
  {
    surface: 'vertex',
    model: /^gemini-3\.8-live/,
    name: 'gemini-3.8-live',
    ...ASYNCHRONOUS,
    blocking: true,
    defaultBehavior: 'NON_BLOCKING',
    willContinue: false,
    id: 'optional',
    text: 'clientContent',
    source: `${PLATFORM}asynchronous-function-calling and migrate-from-gemini-2-5-to-gemini-3-8-live; ${SDK_TYPES}`,
    checked: CHECKED,
    assumed: { id: 'the pages answer by name alone; the SDK does not ask for it' },
  },
  {
    surface: 'vertex',
    model: /^gemini-(live-)?2\.5-flash/,
    name: 'gemini-2.5-flash (live)',
    ...ASYNCHRONOUS,
    blocking: false,
    defaultBehavior: 'NON_BLOCKING',
    willContinue: false,
    id: 'optional',
    text: 'clientContent',
    source: `${PLATFORM}asynchronous-function-calling; ${SDK_TYPES}`,
    checked: CHECKED,
    assumed: {
      blocking: 'the pages name it for Gemini 3.8 only',
      id: 'the pages answer by name alone; the SDK does not ask for it',
    },
  },
  {
    surface: 'developer',
    model: /^/,
    name: 'any other',
    ...SYNCHRONOUS,
    id: 'required',
    text: 'clientContent',
    source: SDK_CHECKS,
    checked: CHECKED,
    assumed: { defaultBehavior: NOT_DOCUMENTED },
  },
  {
    surface: 'vertex',
    model: /^/,
    name: 'any other',
    ...SYNCHRONOUS,
    id: 'optional',
    text: 'clientContent',
    source: SDK_CHECKS,
    checked: CHECKED,
    assumed: { defaultBehavior: NOT_DOCUMENTED },
  },
  {
    surface: 'realtime',
    model: /^/,
    name: 'gpt-realtime',
    ...NO_MEMBERS,
    willContinue: false,
    id: 'required',
    text: 'item',
    source: '`resources/realtime` of the npm package openai 7.57.0',
    checked: CHECKED,
    assumed: {
      defaultBehavior: 'the types have no wait: the session continues, and a response is made when one is asked for',
    },
  },
  {
    surface: 'live',
    model: /^/,
    name: 'gpt-live-1, delegation to the application',
    ...NO_MEMBERS,
    willContinue: true,
    id: 'required',
    text: 'append',
    source: OPENAI_LIVE,
    checked: CHECKED,
    assumed: { willContinue: 'an append names its delegation, and nothing says that it is the last one' },
  },
  {
    surface: 'live',
    model: /^/,
    name: 'gpt-live-1, Responses backend',
    ...NO_MEMBERS,
    willContinue: false,
    id: 'required',
    text: 'append',
    source: OPENAI_LIVE,
    checked: CHECKED,
    assumed: { willContinue: 'a `function_call_output` ends its call, as in the Responses API' },
  },
]

/**
 * @param {{ surface?: 'developer' | 'vertex', model?: string }} [options] `developer` is the Gemini Developer API; an
 *   unknown model is treated as supporting nothing optional
 * @returns {LiveCapabilities}
 */
function geminiCapabilities({ surface = 'developer', model = '' } = {}) {
  if (surface !== 'developer' && surface !== 'vertex')
    throw new TypeError(`unknown surface \`${surface}\`, must be \`developer\` or \`vertex\``)
  const name = model.replace(/^.*models\//, '')
  const found = /** @type {LiveCapabilities} */ (ROWS.find(row => row.surface === surface && row.model.test(name)))
  const { id, nonBlocking, blocking, defaultBehavior, scheduling, willContinue, text } = found
  return { id, nonBlocking, blocking, defaultBehavior, scheduling, willContinue, text }
}

/**
 * The `behavior` of a function's declaration; `undefined` if the model's default is right, or nothing else can be set.
 *
 * A background tool's call gets a first word and its result later, so the model must not wait, if it takes two answers. Any other
 * tool is answered once: a model that does not wait would speak as if it knew the result. That holds for each effect class: a
 * read's result is what the model is about to say, and a write is not done before its answer.
 *
 * @param {{ isBackground: boolean }} tool
 * @param {Pick<LiveCapabilities, 'nonBlocking' | 'blocking' | 'defaultBehavior' | 'willContinue'>} capabilities
 * @returns {Behavior | undefined}
 */
function declaredBehavior({ isBackground }, { nonBlocking, blocking, defaultBehavior, willContinue }) {
  if (isBackground) return nonBlocking && willContinue ? 'NON_BLOCKING' : undefined
  return blocking && defaultBehavior === 'NON_BLOCKING' ? 'BLOCKING' : undefined
}

/**
 * Declarations for Gemini Live, with `behavior` where the model needs it.
 *
 * @template {{ name: string }} Declaration
 * @param {Declaration[]} declarations of the provider `geminiNative`
 * @param {{ isBackground: (name: string) => boolean, surface?: 'developer' | 'vertex', model?: string }} options
 * @returns {(Declaration & { behavior?: Behavior })[]}
 */
function withBehavior(declarations, { isBackground, ...settings }) {
  const capabilities = geminiCapabilities(settings)
  return declarations.map(declaration => {
    const behavior = declaredBehavior({ isBackground: isBackground(declaration.name) }, capabilities)
    return behavior === undefined ? declaration : { ...declaration, behavior }
  })
}

module.exports = { ROWS, declaredBehavior, geminiCapabilities, withBehavior }
