// Searches through the host service `search`. Titles and snippets come from strangers: they are cut and cleaned here.
import { success } from '../_core/tool-response.js'
import { plainText } from '../_services/plain-text.js'
import { serviceFailure } from '../_services/service-errors.js'
import { unusableAnswer } from '../_services/usable-answer.js'
import { webAddress } from '../_services/web-address.js'

const MOST_RESULTS = 8
const SPOKEN_RESULTS = 3

export async function execute({ args, services, signal, mode }) {
  try {
    const found = await services.search.search({ query: args.query, urls: args.urls, signal })
    if (!Array.isArray(found?.results)) return unusableAnswer('search service')
    const results = withoutRepeats(found.results.map(toResult).filter(result => result !== null))
    const answer = plainText(found.answer, 2000)
    return success({
      results: results.slice(0, mode === 'text' ? MOST_RESULTS : SPOKEN_RESULTS),
      ...(answer === '' ? {} : { answer }),
      source: plainText(found.source, 100) || 'not named by the search service',
    })
  } catch (error) {
    return serviceFailure(error, 'search service')
  }
}

function toResult(found) {
  const url = webAddress(found?.url)
  if (url === null) return null
  const title = plainText(found.title, 200) || new URL(url).hostname
  return { title, url, snippet: plainText(found.snippet, 400) }
}

const withoutRepeats = results =>
  [...new Map(results.toReversed().map(result => [result.url, result])).values()].toReversed()
