// Reads the program's settings from environment variables, which docs/configuration.md lists. Starts nothing.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { storeFromSetting } from 'toolgate'
import {
  allowedHostsOf,
  allowsAnonymous,
  auditSinkOf,
  clientLimitsOf,
  metricsTokenOf,
  endpointUrl,
  openaiEndpoint,
  requireAuthentication,
  resumeSecretOf,
  trustedProxiesOf,
  voiceOriginsOf,
} from 'toolgate/http'
import { linesOf } from '../audio/audible-line.js'
import { consentLanguages } from './consent-languages.js'
import { limitsOf } from './limits.js'
import { PROVIDER_NAMES, chooseProvider, listed } from '../providers/providers.js'

const DEFAULT_PORT = 8788
export const DEFAULT_HOST = '127.0.0.1'
/** The variable of each provider's key. */
export const KEYS = { gemini: 'GEMINI_API_KEY', openai: 'OPENAI_API_KEY', gptLive: 'OPENAI_API_KEY' }

/** @typedef {import('../providers/providers.js').ProviderName} ProviderName */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ options: Omit<import('../../server.js').VoiceServerOptions, 'provider' | ProviderName>,
 *   chosen: { provider: ProviderName, settings: object | null } }} `settings`: `null` if neither key nor base URL of the provider is set
 * @throws {TypeError} if a variable is invalid
 */
export function readEnvironment(env) {
  return {
    chosen: readProvider(env),
    options: {
      port: readPort(env.PORT),
      host: env.HOST || undefined,
      artifact: env.TOOLGATE_ARTIFACT || undefined,
      sources: env.TOOLGATE_SOURCES || undefined,
      audit: auditSinkOf(env),
      store: storeFromSetting(env.TOOLGATE_STORE || undefined),
      allowedOrigins: voiceOriginsOf(env),
      allowedHosts: allowedHostsOf(env),
      allowAnonymous: allowsAnonymous(env),
      trustedProxies: trustedProxiesOf(env),
      clientLimits: clientLimitsOf(env),
      limits: limitsOf(env),
      lines: linesOf(env),
      metricsToken: metricsTokenOf(env),
      resumeSecret: resumeSecretOf(env),
      spokenConsent: readSpokenConsent(env.TOOLGATE_SPOKEN_CONSENT),
    },
  }
}

/**
 * Refuses what a start would refuse; starts nothing, and loads no module of the host.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ missingKey: string | null }} the variable of the provider's key, if neither it nor an endpoint is set
 * @throws {TypeError} if a variable is invalid, or contradicts another
 */
export function checkEnvironment(env) {
  const { chosen, options } = readEnvironment(env)
  const { host = DEFAULT_HOST, allowAnonymous } = options
  requireAuthentication({ host, authenticate: env.TOOLGATE_AUTHENTICATE || undefined, allowAnonymous })
  const { provider, settings } = chosen
  const delegate = env.TOOLGATE_VOICE_DELEGATE ? async () => {} : undefined
  chooseProvider({ provider, [provider]: settings ?? { apiKey: 'none' }, ...(delegate && { delegate }) })
  return { missingKey: settings === null ? KEYS[provider] : null }
}

/** @param {string} [text] */
function readPort(text) {
  if (text === undefined || text === '') return DEFAULT_PORT
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port
  throw new TypeError(`PORT \`${text}\` must be a number from 0 to 65535`)
}

/**
 * Gemini by default. OpenAI's key, which the text page also uses, selects OpenAI only if Gemini has no settings.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ provider: ProviderName, settings: object | null }}
 */
function readProvider(env) {
  const named = /** @type {ProviderName | undefined} */ (env.TOOLGATE_VOICE_PROVIDER || undefined)
  if (named && !PROVIDER_NAMES.includes(named)) {
    throw new TypeError(`TOOLGATE_VOICE_PROVIDER \`${named}\` must be ${listed(PROVIDER_NAMES)}`)
  }
  const given = { gemini: geminiOf(env), openai: openaiOf(env), gptLive: gptLiveOf(env) }
  const provider = named ?? (given.gemini === null && env.OPENAI_API_KEY ? 'openai' : 'gemini')
  return { provider, settings: given[provider] }
}

/** @param {NodeJS.ProcessEnv} env */
function geminiOf(env) {
  const model = env.TOOLGATE_GEMINI_MODEL ? { model: env.TOOLGATE_GEMINI_MODEL } : {}
  const baseUrl = endpointUrl('TOOLGATE_GEMINI_BASE_URL', env.TOOLGATE_GEMINI_BASE_URL, env.GEMINI_API_KEY || null)
  if (isYes(env.GOOGLE_GENAI_USE_VERTEXAI)) {
    return {
      surface: 'vertex',
      project: env.GOOGLE_CLOUD_PROJECT,
      location: env.GOOGLE_CLOUD_LOCATION,
      baseUrl,
      ...model,
    }
  }
  return env.GEMINI_API_KEY || baseUrl ? { apiKey: env.GEMINI_API_KEY || 'none', baseUrl, ...model } : null
}

/** @param {NodeJS.ProcessEnv} env */
function openaiOf(env) {
  const model = env.TOOLGATE_OPENAI_REALTIME_MODEL ? { model: env.TOOLGATE_OPENAI_REALTIME_MODEL } : {}
  const endpoint = openaiEndpoint(env)
  return endpoint && { apiKey: endpoint.apiKey ?? 'none', baseUrl: endpoint.baseUrl, ...model }
}

/** @param {NodeJS.ProcessEnv} env */
function gptLiveOf(env) {
  const [model, backendModel] = [env.TOOLGATE_GPT_LIVE_MODEL, env.TOOLGATE_GPT_LIVE_BACKEND_MODEL]
  const endpoint = openaiEndpoint(env)
  if (!endpoint) return null
  const models = { ...(model ? { model } : {}), ...(backendModel ? { backendModel } : {}) }
  return { apiKey: endpoint.apiKey ?? 'none', baseUrl: endpoint.baseUrl, ...models }
}

/**
 * What the host does for a model that has it done, from the module that `TOOLGATE_VOICE_DELEGATE` names.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('../providers/providers.js').HostWork>}
 * @throws {TypeError} if the module exports no such function
 */
export async function loadHostWork(env) {
  const file = env.TOOLGATE_VOICE_DELEGATE
  if (!file) return {}
  const { delegate, readAloud } = await import(pathToFileURL(resolve(file)).href)
  if (typeof delegate !== 'function') throw new TypeError(`\`${file}\` must export the function \`delegate\``)
  return { delegate, readAloud }
}

/** @param {string} [text] @returns {boolean | { languages: string[] }} */
function readSpokenConsent(text) {
  if (!text || /^(0|false|no|off)$/i.test(text)) return false
  if (isYes(text)) return true
  const languages = text
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean)
  try {
    consentLanguages({ languages })
  } catch (error) {
    throw new TypeError(`TOOLGATE_SPOKEN_CONSENT: ${/** @type {Error} */ (error).message}`, { cause: error })
  }
  return { languages }
}

/** @param {string} [text] */
function isYes(text) {
  return /^(1|true|yes|on)$/i.test(text ?? '')
}
