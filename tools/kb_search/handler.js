// Searches the host service `kb`. The ranking, and the projection of a record, are the service's.
import { success } from '../_core/tool-response.js'
import { refuseBadRange } from '../_services/date-range.js'
import { refuseFullTextInVoice } from '../_services/spoken-fields.js'
import { recordsIn } from '../_services/service-answers.js'
import { serviceFailure } from '../_services/service-errors.js'

/** @param {import('../../index.js').HandlerContext} context */
export async function execute(context) {
  const { args, services, meta } = context
  const refusal = refuseFullTextInVoice(context) ?? refuseBadRange(args.filters?.date_range, '/filters/date_range')
  if (refusal) return refusal

  const startedAt = performance.now()
  try {
    const results = recordsIn(await services.kb.search(toRequest(context)))
    return success({
      results,
      query_time_ms: Math.round((performance.now() - startedAt) * 100) / 100,
      clamped: (meta?.clamped ?? []).some(({ path }) => path === '/top_k'),
    })
  } catch (error) {
    return serviceFailure(error, 'knowledge base')
  }
}

/** @param {import('../../index.js').HandlerContext} context */
function toRequest({ args, signal }) {
  return {
    query: args.query,
    namespace: args.namespace,
    filters: args.filters,
    topK: args.top_k,
    returnFields: args.return_fields,
    includeSnippets: args.include_snippets,
    signal,
  }
}
