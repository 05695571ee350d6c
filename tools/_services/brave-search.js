// Brave Search as the host service `search`, over its Web Search API (v1).
import { createJsonRequest } from './json-request.js'
import { ServiceError } from './service-errors.js'

const BASE_URL = 'https://api.search.brave.com/res/v1'
const SOURCE = 'Brave Search'
/** The API's own limits of a query. */
const MOST_CHARACTERS = 400
const MOST_WORDS = 50
const MOST_RESULTS = 8

/**
 * `urls` narrows the search to the sites of these pages; Brave does not open pages.
 *
 * @param {object} options
 * @param {import('./json-request.js').ApiKey} options.apiKey the subscription token, or a function that gives it
 * @param {string} [options.country] two letters
 * @param {string} [options.language] of the results, such as `en`
 * @param {number} [options.timeoutMs] of one request; 5000 by default
 * @param {string} [options.baseUrl] another server of this API: https, or this machine
 * @returns {import('./service-types.js').SearchService}
 */
export function createBraveSearch({ apiKey, country, language, timeoutMs = 5_000, baseUrl = BASE_URL }) {
  /** @param {string} key */
  const headersFor = key => ({ 'x-subscription-token': key })
  const request = createJsonRequest({ baseUrl, apiKey, headersFor, timeoutMs })
  return {
    async search({ query, urls = [], signal }) {
      const parameters = {
        q: queryOf(query, urls),
        count: MOST_RESULTS,
        country,
        search_lang: language,
        // Highlighting is HTML.
        text_decorations: false,
        safesearch: 'moderate',
      }
      const answer = await request('GET', '/web/search', { query: parameters, signal })
      return { results: resultsOf(answer), source: SOURCE }
    },
  }
}

/** @param {string} query @param {string[]} urls */
function queryOf(query, urls) {
  const sites = [...new Set(urls.map(url => `site:${new URL(url).hostname}`))].join(' OR ')
  const words = query.split(/\s+/).slice(0, MOST_WORDS - (sites ? sites.split(' ').length : 0))
  return `${words.join(' ').slice(0, MOST_CHARACTERS - sites.length - 1)} ${sites}`.trim()
}

/** An answer without a `web` part found no pages. @param {import('./service-types.js').JsonObject} answer */
function resultsOf(answer) {
  if (answer.type !== 'search') throw new ServiceError('UNAVAILABLE', 'the answer is no search result')
  const pages = answer.web?.results ?? []
  if (!Array.isArray(pages)) throw new ServiceError('UNAVAILABLE', 'the answer has no list of pages')
  return pages.map(page => ({ title: page?.title, url: page?.url, snippet: page?.description }))
}
