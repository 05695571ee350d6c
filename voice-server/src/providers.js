// The table of providers. A new provider needs a link class and a row in this table.
import { userClock } from 'toolgate'
import { DEFAULT_GEMINI_MODEL, makeGeminiConfig } from './links/gemini-config.js'
import { GeminiLink } from './links/gemini-link.js'
import { DEFAULT_OPENAI_MODEL, makeOpenAIConfig } from './links/openai-config.js'
import { OpenAILink } from './links/openai-link.js'

/**
 * @typedef {Partial<import('./links/gemini-connect.js').GeminiSettings>
 *   & Partial<import('./links/openai-connect.js').OpenAISettings>} Settings of any provider
 * @typedef {object} Provider
 * @property {new (options: any) => import('./voice-types.js').VoiceLink} Link
 * @property {(options: { registry: import('toolgate').ToolRegistry, services: string[], settings: any, more?: object }) => Promise<object>}
 *   makeConfig
 * @property {string} prompt the member of the config that has the system prompt
 * @property {string} model the default
 * @property {string} own the end of the provider's host names
 * @property {(settings: Settings) => void} check throws a TypeError if a setting is missing
 */

/** @type {Record<string, Provider>} */
const PROVIDERS = {
  gemini: {
    Link: GeminiLink,
    makeConfig: makeGeminiConfig,
    prompt: 'systemInstruction',
    model: DEFAULT_GEMINI_MODEL,
    own: '.googleapis.com',
    check: checkGemini,
  },
  openai: {
    Link: OpenAILink,
    makeConfig: makeOpenAIConfig,
    prompt: 'instructions',
    model: DEFAULT_OPENAI_MODEL,
    own: '.openai.com',
    check: needsKey('openai'),
  },
}

/**
 * @param {{ provider?: 'gemini' | 'openai' } & { [Name in 'gemini' | 'openai']?: Settings & { config?: object } }} options
 *   `provider`: required if more than one has settings
 * @returns {{ provider: 'gemini' | 'openai', settings: Settings & { model: string }, more: object | undefined }}
 *   `more`: further members of the provider's config
 */
export function chooseProvider({ provider, gemini, openai }) {
  /** @type {Record<string, (Settings & { config?: object }) | undefined>} */
  const all = { gemini, openai }
  const given = Object.keys(PROVIDERS).filter(name => all[name])
  const name = provider ?? given[0] ?? 'gemini'
  if (!Object.hasOwn(PROVIDERS, name)) {
    throw new TypeError(`\`provider\` must be ${Object.keys(PROVIDERS).join(' or ')}, not \`${name}\``)
  }
  const { config: more, ...settings } = { model: PROVIDERS[name].model, ...all[name] }
  PROVIDERS[name].check(settings)
  return { provider: /** @type {'gemini' | 'openai'} */ (name), settings, more }
}

/**
 * @param {ReturnType<typeof chooseProvider> & {
 *   registry: import('toolgate').ToolRegistry, services: string[], connectTimeoutMs: number, pingMs: number, logger: import('./voice-types.js').Logger }} options
 * @returns {Promise<{ provider: 'gemini' | 'openai', model: string, simulator: boolean,
 *   makeLink: (events: import('./voice-types.js').ConversationEvents) => import('./voice-types.js').VoiceLink }>}
 */
export async function prepareProvider({
  provider,
  settings,
  more,
  registry,
  services,
  connectTimeoutMs,
  pingMs,
  logger,
}) {
  const { Link, makeConfig, prompt, own } = PROVIDERS[provider]
  const config = await makeConfig({ registry, services, settings, more })
  return {
    provider,
    model: settings.model,
    simulator: Boolean(settings.baseUrl) && !new URL(String(settings.baseUrl)).hostname.endsWith(own),
    makeLink: ({ timeZone, ...events }) =>
      new Link({ settings, config: withClock(config, prompt, timeZone), connectTimeoutMs, pingMs, logger, ...events }),
  }
}

/**
 * The config of one conversation, which begins with the user's clock. A prompt that the host replaced by something other
 * than a text stays as it is.
 *
 * @param {Record<string, any>} config
 * @param {string} prompt the member
 * @param {string} [timeZone]
 */
function withClock(config, prompt, timeZone) {
  const text = config[prompt]
  return typeof text === 'string' ? { ...config, [prompt]: `${text}\n${userClock({ timeZone })}` } : config
}

/** @param {Settings} settings */
function checkGemini({ surface, project, location, apiKey }) {
  if (surface !== 'vertex') return needsKey('gemini')({ apiKey })
  if (apiKey || (project && location)) return
  throw new TypeError('`gemini.project` and `gemini.location` are missing (or `gemini.apiKey`, in express mode)')
}

/** @param {'gemini' | 'openai'} name @returns {(settings: Settings) => void} */
function needsKey(name) {
  return ({ apiKey }) => {
    if (!apiKey) throw new TypeError(`\`${name}.apiKey\` is missing (a simulator accepts any value)`)
  }
}
