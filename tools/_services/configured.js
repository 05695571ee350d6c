// The services of the shipped tools as a server's settings say: a provider's by its key, embedded ones in place of the
// others, and a list of which are which.
import { DEFAULT_MODELS } from 'toolgate/http'
import { boundedFetch } from './bounded-fetch.js'
import { createBraveSearch } from './brave-search.js'
import { embeddedServices } from './embedded.js'
import { createGeminiImages } from './gemini-images.js'
import { createGeminiSearch } from './gemini-search.js'
import { createImageService } from './image-service.js'
import { createAiSdkFrameAnalyzer, createAiSdkLlm } from './llm-ai-sdk.js'
import { createOpenAiImages } from './openai-images.js'
import { createPlaceholderImages } from './placeholder-images.js'

const MODELS = { openai: DEFAULT_MODELS.openaiText, gemini: DEFAULT_MODELS.geminiText }
const GEMINI_URL = 'https://generativelanguage.googleapis.com'
/** Both providers count a model's thinking as output. */
const THINKING_TOKENS = 4000
const MOST_ANSWER_BYTES = 2_000_000
const NEEDS_KEY = 'set `OPENAI_API_KEY` or `GEMINI_API_KEY`'

/**
 * @typedef {{ apiKey: string, baseUrl?: string }} Access to a provider
 * @typedef {object} ServiceSettings as `toolServiceSettings` of `toolgate/http` reads them
 * @property {Access | null} openai
 * @property {Access | null} gemini `baseUrl` without the version, as Google's SDK takes it
 * @property {Access | null} brave
 * @property {string} [model] of drafts and of descriptions of frames
 * @property {string} [searchModel] of Gemini's search
 * @property {string} [imageModel]
 * @property {string} [knowledgeFile]
 * @property {string} [calendarFolder]
 *
 * @typedef {{ state: 'real' | 'simulated' | 'absent', by: string }} ServiceSource
 * @typedef {{ service: unknown, source: ServiceSource } | null} Found null: no key for it
 */

/**
 * @param {ServiceSettings} settings
 * @param {object} [host]
 * @param {(id: string) => string} [host.imageUrl] where the host serves an image; without it there is no service `image`
 * @param {() => import('../../index.js').ToolRegistry} [host.registry] for the service `dashboard`
 * @returns {Promise<{ services: Record<string, any>, sources: Record<string, ServiceSource> }>} both by the service's name;
 *   `sources` also has `frameAnalysis`
 */
export async function configuredServices(settings, { imageUrl, registry } = {}) {
  const { knowledgeFile, calendarFolder } = settings
  const model = await found(() => modelOf(settings), NEEDS_KEY)
  const thinking = { thinkingTokens: THINKING_TOKENS }
  const analyzeFrame = model.made && createAiSdkFrameAnalyzer(model.made, thinking)
  const embedded = await embeddedServices({ knowledgeFile, calendarFolder, registry, analyzeFrame })
  const search = await found(() => searchOf(settings), 'set `GEMINI_API_KEY` or `BRAVE_API_KEY`')
  const images = await found(() => imagesOf(settings), NEEDS_KEY)
  const generator = images.made ?? createPlaceholderImages()
  return {
    services: {
      ...embedded,
      ...(model.made && { llm: createAiSdkLlm(model.made, thinking) }),
      ...(search.made && { search: search.made }),
      ...(imageUrl && { image: createImageService(generator, { urlOf: imageUrl }) }),
    },
    sources: {
      llm: sourceOf(model, 'drafts without a model'),
      frameAnalysis: model.made ? sourceOf(model, '') : absent(model.reason),
      search: sourceOf(search, 'the knowledge base'),
      image: imageUrl ? sourceOf(images, 'labelled placeholders') : absent('this server shows no images'),
      kb: knowledgeFile ? real('your file') : simulated('the sample studio, `TOOLGATE_KNOWLEDGE_FILE` is not set'),
      calendar: calendarFolder
        ? real('your folder')
        : simulated('the sample studio, `TOOLGATE_CALENDAR_FOLDER` is not set'),
      dashboard: registry ? real('this registry') : absent('this server has none'),
    },
  }
}

/** @param {string} by @returns {ServiceSource} */
const real = by => ({ state: 'real', by })
/** @param {string} by @returns {ServiceSource} */
const simulated = by => ({ state: 'simulated', by })
/** @param {string} by @returns {ServiceSource} */
const absent = by => ({ state: 'absent', by })

/** @param {{ made?: unknown, by?: string, reason?: string }} outcome @param {string} instead */
const sourceOf = ({ made, by = '', reason = '' }, instead) => (made ? real(by) : simulated(`${instead}: ${reason}`))

/**
 * A provider that cannot be used leaves its embedded substitute, with the reason: a wrong address of one service ends no server.
 *
 * @template T
 * @param {() => Promise<{ made: T, by: string } | null> | { made: T, by: string } | null} make
 * @param {string} advice without a key
 * @returns {Promise<{ made?: T, by?: string, reason: string }>}
 */
async function found(make, advice) {
  try {
    return { reason: advice, ...(await make()) }
  } catch (error) {
    const { code, message } = /** @type {{ code?: unknown, message: string }} */ (error)
    return { reason: code === 'ERR_MODULE_NOT_FOUND' ? 'install the packages `ai` and `@ai-sdk/openai`' : message }
  }
}

/**
 * OpenAI's model, or Gemini's through its endpoint of OpenAI's protocol: one package speaks to both.
 * @param {ServiceSettings} settings
 */
async function modelOf({ openai, gemini, model }) {
  if (openai === null && gemini === null) return null
  await import('ai') // what writes by the model: missing packages are found here, not by the first call
  const { createOpenAI } = await import('@ai-sdk/openai')
  const fetch = boundedFetch(MOST_ANSWER_BYTES)
  const id = model ?? MODELS[openai ? 'openai' : 'gemini']
  if (openai) return { made: createOpenAI({ ...named(openai), fetch }).chat(id), by: `OpenAI, ${id}` }
  const { apiKey, baseUrl = GEMINI_URL } = /** @type {Access} */ (gemini)
  const baseURL = `${withoutSlash(baseUrl)}/v1beta/openai`
  return { made: createOpenAI({ apiKey, baseURL, fetch, name: 'gemini' }).chat(id), by: `Gemini, ${id}` }
}

/** @param {Access} access */
const named = ({ apiKey, baseUrl }) => ({ apiKey, ...(baseUrl && { baseURL: baseUrl }) })
/** @param {string} url */
const withoutSlash = url => url.replace(/\/$/, '')

/** @param {ServiceSettings} settings */
function searchOf({ brave, gemini, searchModel }) {
  if (brave) return { made: createBraveSearch(brave), by: 'Brave Search' }
  if (!gemini) return null
  const model = searchModel ?? MODELS.gemini
  return { made: createGeminiSearch({ ...restOf(gemini), model }), by: `Google Search, through ${model}` }
}

/** @param {ServiceSettings} settings */
function imagesOf({ openai, gemini, imageModel: model }) {
  const own = model ? { model } : {}
  if (openai)
    return { made: createOpenAiImages({ ...openai, ...own }), by: `OpenAI, ${model ?? DEFAULT_MODELS.openaiImages}` }
  if (!gemini) return null
  return {
    made: createGeminiImages({ ...restOf(gemini), ...own }),
    by: `Gemini, ${model ?? DEFAULT_MODELS.geminiImages}`,
  }
}

/** Access to the REST API, whose address has the version. @param {Access} access */
const restOf = ({ apiKey, baseUrl }) => ({ apiKey, ...(baseUrl && { baseUrl: `${withoutSlash(baseUrl)}/v1beta` }) })

/**
 * The fields of a server's line at start: `{ real, simulated, absent }`, each with what serves, by the service's name.
 * @param {Record<string, ServiceSource>} sources
 */
export function sourceFields(sources) {
  /** @type {Record<ServiceSource['state'], Record<string, string>>} */
  const fields = { real: {}, simulated: {}, absent: {} }
  for (const [name, { state, by }] of Object.entries(sources)) fields[state][name] = by
  return fields
}
