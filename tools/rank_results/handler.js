// A weighted order over given results: no clock, no randomness, a stable sort.
import { ErrorType } from '../_core/error-types.js'
import { failure, success } from '../_core/tool-response.js'

/** @typedef {{ id: string, title?: string, score?: number, last_updated: string }} Result */

/** @param {import('../../index.js').HandlerContext} context */
export function execute({ args }) {
  const weights = proportions(args.weights)
  if (weights === null) {
    return failure(ErrorType.VALIDATION, 'the weights are all 0; at least one must count', {
      retryable: false,
      details: [
        {
          instancePath: '/weights',
          schemaPath: '',
          keyword: 'weights',
          params: {},
          message: 'at least one must be over 0',
        },
      ],
    })
  }
  const { unique, repeated } = withoutRepetitions(args.results)
  const recency = recencyOf(unique)
  const ranked = unique
    .map(({ id, title, score: relevance = 0, last_updated: updated }) => {
      const parts = { relevance, recency: recency(updated) }
      const score = weights.relevance * parts.relevance + weights.recency * parts.recency
      return { id, title: title ?? null, score: rounded(score), parts }
    })
    .sort((one, other) => other.score - one.score)
    .map((result, index) => ({ rank: index + 1, ...result }))
  const formula = 'score = relevance weight * relevance + recency weight * recency'
  return success({ ranked, weights, repeated, formula })
}

/** @param {{ relevance?: number, recency?: number }} weights */
function proportions({ relevance = 0, recency = 0 }) {
  const total = relevance + recency
  return total === 0 ? null : { relevance: rounded(relevance / total), recency: rounded(recency / total) }
}

/**
 * Each id once, in the place of its first occurrence, with its best score; other fields from the first that has them.
 * @param {Result[]} results
 */
function withoutRepetitions(results) {
  const byId = new Map()
  const repeated = new Set()
  for (const result of results) {
    const known = byId.get(result.id)
    if (known === undefined) {
      byId.set(result.id, result)
      continue
    }
    repeated.add(result.id)
    byId.set(result.id, { ...result, ...known, score: Math.max(known.score ?? 0, result.score ?? 0) })
  }
  return { unique: [...byId.values()], repeated: [...repeated] }
}

/** From the oldest, 0, to the newest, 1. @param {Result[]} results */
function recencyOf(results) {
  const times = results.map(({ last_updated: updated }) => Date.parse(updated)).filter(Number.isFinite)
  const [oldest, newest] = [Math.min(...times), Math.max(...times)]
  return (/** @type {string} */ updated) => {
    const at = Date.parse(updated)
    if (!Number.isFinite(at)) return 0
    return newest === oldest ? 1 : rounded((at - oldest) / (newest - oldest))
  }
}

/** @param {number} value */
const rounded = value => Number(value.toFixed(4))
