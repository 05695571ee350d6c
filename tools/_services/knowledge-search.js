// The embedded default of the host service `search`: the knowledge base's public namespace, not the web.

const SOURCE = 'knowledge base, public namespace (not the web)'
const MOST_RESULTS = 8

/**
 * @param {Pick<Awaited<ReturnType<typeof import('./knowledge-base.js').createKnowledgeBase>>, 'search'>} kb
 * @returns {import('./service-types.js').SearchService} `urls` narrows the results to these pages
 */
export function createKnowledgeSearch(kb) {
  return {
    async search({ query, urls = [], signal }) {
      const records = await kb.search({ query, namespace: 'public', topK: urls.length > 0 ? 50 : MOST_RESULTS, signal })
      const wanted = new Set(urls.map(comparable))
      const results = records
        .flatMap(({ title, url, snippet }) => (url ? [{ title, url, snippet: snippet ?? '' }] : []))
        .filter(({ url }) => wanted.size === 0 || wanted.has(comparable(url)))
        .slice(0, MOST_RESULTS)
      return { results, source: SOURCE }
    },
  }
}

/** Normalizes a page's URL: removes the fragment and a trailing slash. @param {string} url */
const comparable = url => url.replace(/#.*$/, '').replace(/\/$/, '').toLowerCase()
