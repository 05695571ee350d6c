// The table of providers. A new provider needs a link class and a row in this table.
import { DEFAULT_GEMINI_MODEL, makeGeminiConfig } from './links/gemini-config.js'
import { GeminiLink } from './links/gemini-link.js'
import { DEFAULT_OPENAI_MODEL, makeOpenAIConfig } from './links/openai-config.js'
import { OpenAILink } from './links/openai-link.js'

const PROVIDERS = {
  gemini: {
    Link: GeminiLink,
    makeConfig: makeGeminiConfig,
    model: DEFAULT_GEMINI_MODEL,
    own: '.googleapis.com',
    check: checkGemini,
  },
  openai: {
    Link: OpenAILink,
    makeConfig: makeOpenAIConfig,
    model: DEFAULT_OPENAI_MODEL,
    own: '.openai.com',
    check: needsKey('openai'),
  },
}

/**
 * @param {object} options
 * @param {'gemini' | 'openai'} [options.provider] required if more than one has settings
 * @param {object} [options.gemini]
 * @param {object} [options.openai]
 * @returns {{ provider: string, settings: object, more: object | undefined }} `more`: further members of the provider's
 *   config
 */
export function chooseProvider({ provider, ...all }) {
  const given = Object.keys(PROVIDERS).filter(name => all[name])
  const name = provider ?? given[0] ?? 'gemini'
  if (!Object.hasOwn(PROVIDERS, name)) {
    throw new TypeError(`\`provider\` must be ${Object.keys(PROVIDERS).join(' or ')}, not \`${name}\``)
  }
  const { config: more, ...settings } = { model: PROVIDERS[name].model, ...all[name] }
  PROVIDERS[name].check(settings)
  return { provider: name, settings, more }
}

/**
 * @param {ReturnType<typeof chooseProvider> & {
 *   registry: object, services: string[], connectTimeoutMs: number, logger: object }} options
 * @returns {Promise<{ provider: string, model: string, simulator: boolean,
 *   makeLink: (events: object) => import('./links/provider-link.js').ProviderLink }>}
 */
export async function prepareProvider({ provider, settings, more, registry, services, connectTimeoutMs, logger }) {
  const { Link, makeConfig, own } = PROVIDERS[provider]
  const config = await makeConfig({ registry, services, more })
  return {
    provider,
    model: settings.model,
    simulator: Boolean(settings.baseUrl) && !new URL(settings.baseUrl).hostname.endsWith(own),
    makeLink: events => new Link({ settings, config, connectTimeoutMs, logger, ...events }),
  }
}

function checkGemini({ surface, project, location, apiKey }) {
  if (surface !== 'vertex') return needsKey('gemini')({ apiKey })
  if (apiKey || (project && location)) return
  throw new TypeError('`gemini.project` and `gemini.location` are missing (or `gemini.apiKey`, in express mode)')
}

function needsKey(name) {
  return ({ apiKey }) => {
    if (!apiKey) throw new TypeError(`\`${name}.apiKey\` is missing (a simulator accepts any value)`)
  }
}
