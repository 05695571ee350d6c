// The table of providers. A new provider needs a link class and a row in this table.
import { loadVoicePrompt, userClock } from 'toolgate'
import { DEFAULT_MODELS } from 'toolgate/http'
import { makeGeminiConfig } from './gemini/gemini-config.js'
import { GeminiLink } from './gemini/gemini-link.js'
import { makeGptLiveConfig } from './gpt-live/gpt-live-config.js'
import { GptLiveLink } from './gpt-live/gpt-live-link.js'
import { mergeDeep } from './merge-deep.js'
import { makeOpenAIConfig } from './openai/openai-config.js'
import { OpenAILink } from './openai/openai-link.js'

/**
 * @typedef {Partial<import('./gemini/gemini-connect.js').GeminiSettings>
 *   & Partial<import('./openai-socket.js').OpenAISettings> & { backendModel?: string }} Settings of any provider
 * @typedef {import('../../server.js').ProviderName} ProviderName
 *
 * @typedef {object} SessionTools the tools that the model of one session knows: those that its user's roles allow
 * @property {(provider: string) => object[]} declared in the form of a provider
 * @property {string} prompt
 * @property {(name: string) => boolean} isBackground
 *
 * @typedef {object} Provider
 * @property {new (options: any) => import('../voice-types.js').VoiceLink} Link
 * @property {(options: { tools: SessionTools, settings: any, more?: object, isDelegated: boolean }) => object} makeConfig throws a
 *   TypeError if `more` cannot work
 * @property {string[][]} prompts the paths of the config's members that have a system prompt
 * @property {string} model the default
 * @property {string} own the end of the provider's host names
 * @property {(settings: Settings) => void} check throws a TypeError if a setting is missing
 */

/** @type {Record<ProviderName, Provider>} */
const PROVIDERS = {
  gemini: {
    Link: GeminiLink,
    makeConfig: makeGeminiConfig,
    prompts: [['systemInstruction']],
    model: DEFAULT_MODELS.geminiLive,
    own: '.googleapis.com',
    check: checkGemini,
  },
  openai: {
    Link: OpenAILink,
    makeConfig: makeOpenAIConfig,
    prompts: [['instructions']],
    model: DEFAULT_MODELS.openaiRealtime,
    own: '.openai.com',
    check: needsKey('openai'),
  },
  gptLive: {
    Link: GptLiveLink,
    makeConfig: makeGptLiveConfig,
    prompts: [['instructions'], ['delegation', 'responses', 'instructions']],
    model: DEFAULT_MODELS.gptLive,
    own: '.openai.com',
    check: needsKey('gptLive'),
  },
}

export const PROVIDER_NAMES = /** @type {ProviderName[]} */ (Object.keys(PROVIDERS))

/**
 * @param {{ provider?: ProviderName } & { [Name in ProviderName]?: Settings & { config?: object } } & HostWork} options
 *   `provider`: required if more than one has settings
 * @typedef {{ delegate?: import('../voice-types.js').Delegate, readAloud?: import('../voice-types.js').ReadAloud }} HostWork what the
 *   host does for a model that has it done
 * @returns {{ provider: ProviderName, settings: Settings & { model: string }, more: object | undefined } & HostWork}
 *   `more`: further members of the provider's config
 */
export function chooseProvider({ provider, delegate, readAloud, ...all }) {
  const name = provider ?? PROVIDER_NAMES.find(known => all[known]) ?? 'gemini'
  if (!PROVIDER_NAMES.includes(name)) {
    throw new TypeError(`\`provider\` must be ${listed(PROVIDER_NAMES)}, not \`${name}\``)
  }
  const { config: more, ...given } = all[name] ?? {}
  // An `undefined`, such as a variable of the environment that is not set, is no model.
  const settings = { ...given, model: given.model ?? PROVIDERS[name].model }
  PROVIDERS[name].check(settings)
  checkUrl(name, settings)
  for (const [option, work] of Object.entries({ delegate, readAloud })) {
    if (work === undefined) continue
    if (typeof work !== 'function') throw new TypeError(`\`${option}\` must be a function`)
  }
  if (delegate !== undefined && name !== 'gptLive')
    throw new TypeError(`\`delegate\` needs the provider \`gptLive\`, not \`${name}\``)
  return { provider: name, settings, more, delegate, readAloud }
}

/**
 * @param {ReturnType<typeof chooseProvider> & {
 *   registry: import('toolgate').ToolRegistry, services?: string[], connectTimeoutMs: number, pingMs: number,
 *   meta: import('toolgate').ModelMeta, logger: import('../voice-types.js').Logger }} options
 * @returns {{ provider: ProviderName, model: string, simulator: boolean, delegate: HostWork['delegate'], readAloud: HostWork['readAloud'],
 *   makeLink: (events: import('../voice-types.js').ConversationEvents) => import('../voice-types.js').VoiceLink }}
 */
export function prepareProvider({
  provider,
  settings,
  more,
  delegate,
  readAloud,
  registry,
  services,
  connectTimeoutMs,
  pingMs,
  meta,
  logger,
}) {
  const { Link, makeConfig, prompts, own } = PROVIDERS[provider]
  /** @param {Omit<SessionTools, 'isBackground'>} tools */
  const configOf = tools => {
    const isBackground = (/** @type {string} */ name) => registry.getToolMetadata(name)?.background !== undefined
    return makeConfig({ tools: { ...tools, isBackground }, settings, more, isDelegated: delegate !== undefined })
  }
  // What cannot work is said at the start.
  configOf({ declared: form => registry.getProviderSchemas(form, { mode: 'voice', services }), prompt: '' })
  /** @param {import('toolgate').Session} session */
  const toolsOf = session => ({
    declared: (/** @type {string} */ form) => session.declared(form),
    prompt: loadVoicePrompt({ registry, services: session.services, roles: session.roles }),
  })
  const shared = { settings, connectTimeoutMs, pingMs, meta, logger, readAloud }
  return {
    provider,
    model: settings.model,
    simulator: Boolean(settings.baseUrl) && !new URL(String(settings.baseUrl)).hostname.endsWith(own),
    delegate,
    readAloud,
    makeLink: ({ session, timeZone, ...events }) =>
      new Link({
        ...shared,
        config: withClock(configOf(toolsOf(session)), prompts, userClock({ timeZone })),
        ...events,
      }),
  }
}

/**
 * The config of one conversation, which begins with the user's clock. A prompt that the host replaced by something other
 * than a text stays as it is.
 *
 * @param {Record<string, any>} config
 * @param {string[][]} prompts paths
 * @param {string} clock
 */
function withClock(config, prompts, clock) {
  return prompts.reduce((changed, path) => {
    const text = path.reduce((/** @type {any} */ value, member) => value?.[member], config)
    if (typeof text !== 'string') return changed
    const nested = path.reduceRight(
      (/** @type {unknown} */ value, member) => ({ [member]: value }),
      `${text}\n${clock}`,
    )
    return mergeDeep(changed, nested)
  }, config)
}

/** @param {string[]} names */
export const listed = names => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

/** @param {Settings} settings */
function checkGemini({ surface, project, location, ...settings }) {
  if (surface !== 'vertex') return needsKey('gemini')(settings)
  if (settings.apiKey || settings.url || (project && location)) return
  throw new TypeError('`gemini.project` and `gemini.location` are missing (or `gemini.apiKey`, in express mode)')
}

/** @param {ProviderName} name @returns {(settings: Settings) => void} */
function needsKey(name) {
  return ({ apiKey, url, headers }) => {
    if (!apiKey && !url && !headers)
      throw new TypeError(`\`${name}.apiKey\` is missing (a simulator accepts any value)`)
  }
}

/** @param {ProviderName} name @param {Settings} settings */
function checkUrl(name, { url }) {
  if (url === undefined || (URL.canParse(url) && /^(wss?|https?):$/.test(new URL(url).protocol))) return
  throw new TypeError(
    `\`${name}.url\` must be the whole address of a socket, such as \`wss://gateway.example/realtime\``,
  )
}
