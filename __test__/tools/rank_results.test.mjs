import * as handler from '../../tools/rank_results/handler.js'
import { INJECTION, takes, toolRunner } from './support/run-tool.mjs'

const rank = toolRunner(handler, 'rank_results')
const order = async (results, weights) => (await rank({ results, weights })).data.ranked.map(({ id }) => id)
const formula = 'score = relevance weight * relevance + recency weight * recency'

test('relevance and recency, with all that is left out', async () => {
  const results = [
    { id: 'doc:a', score: 0.8 },
    { id: 'doc:b', score: 0.7, last_updated: '2026-10-01T00:00:00Z', title: 'B' },
    { id: 'doc:c', last_updated: '2026-09-01T00:00:00Z' },
  ]
  expect(await rank({ results })).toEqual({
    ok: true,
    data: {
      ranked: [
        { rank: 1, id: 'doc:b', title: 'B', score: 0.79, parts: { relevance: 0.7, recency: 1 } },
        { rank: 2, id: 'doc:a', title: null, score: 0.56, parts: { relevance: 0.8, recency: 0 } },
        { rank: 3, id: 'doc:c', title: null, score: 0, parts: { relevance: 0, recency: 0 } },
      ],
      weights: { relevance: 0.7, recency: 0.3 },
      repeated: [],
      formula,
    },
  })
})

test('only the proportion of the weights matters, and one may be left out', async () => {
  const results = [
    { id: 'a', score: 0.2 },
    { id: 'b', score: 0.9 },
  ]
  const { data } = await rank({ results, weights: { relevance: 0.2, recency: 0.1 } })
  expect(data.weights).toEqual({ relevance: 0.6667, recency: 0.3333 })
  expect((await rank({ results, weights: { relevance: 5e-324 } })).data.weights).toEqual({ relevance: 1, recency: 0 })
  expect(await order(results, { relevance: 1 })).toEqual(['b', 'a'])
})

test('equal ranks keep their order, and equal input gives equal output', async () => {
  const results = Array.from({ length: 100 }, (_, at) => ({ id: `doc:${at}`, score: at % 2 }))
  const ids = await order(results)
  expect(ids).toEqual(
    [...results.filter(({ score }) => score === 1), ...results.filter(({ score }) => score === 0)].map(({ id }) => id),
  )
  expect(await order(results)).toEqual(ids)
})

test('moments are compared, not texts', async () => {
  const results = [
    { id: 'later', last_updated: '2026-10-25T02:30:00+01:00' },
    { id: 'earlier', last_updated: '2026-10-25T02:30:00+02:00' },
  ]
  expect(await order(results, { recency: 1 })).toEqual(['later', 'earlier'])
})

test('a repeated id is ranked once, by the best of what is known of it', async () => {
  const results = [
    { id: 'a', score: 0.1, title: 'A' },
    { id: 'b', score: 0.5 },
    { id: 'a', score: 0.9, last_updated: '2026-10-01T00:00:00Z' },
    { id: 'a', title: 'Another' },
  ]
  const { data } = await rank({ results })
  expect(data.repeated).toEqual(['a'])
  expect(data.ranked).toEqual([
    { rank: 1, id: 'a', title: 'A', score: 0.93, parts: { relevance: 0.9, recency: 1 } },
    { rank: 2, id: 'b', title: null, score: 0.35, parts: { relevance: 0.5, recency: 0 } },
  ])
})

test('weights that count nothing are refused', async () => {
  for (const weights of [{}, { relevance: 0, recency: 0 }]) {
    expect(await rank({ results: [{ id: 'a' }], weights })).toEqual({
      ok: false,
      error: {
        type: 'VALIDATION',
        message: 'the weights are all 0; at least one must count',
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
      },
    })
  }
})

test('hostile ids and titles stay data, and a leap second counts as no date', async () => {
  const results = [
    { id: '__proto__', score: 1, title: INJECTION },
    { id: 'constructor', last_updated: '2026-06-30T23:59:60Z' },
  ]
  expect((await rank({ results })).data.ranked).toEqual([
    { rank: 1, id: '__proto__', title: INJECTION, score: 0.7, parts: { relevance: 1, recency: 0 } },
    { rank: 2, id: 'constructor', title: null, score: 0, parts: { relevance: 0, recency: 0 } },
  ])
})

test('what the schema keeps out', () => {
  const bad = [
    {},
    { results: [] },
    { results: Array.from({ length: 101 }, () => ({ id: 'x' })) },
    { results: [{ id: '' }] },
    { results: [{ id: 'x', score: 1.1 }] },
    { results: [{ id: 'x', url: 'https://example.com' }] },
    { results: [{ id: 'x' }], weights: { relevance: -1 } },
    { results: [{ id: 'x' }], weights: { novelty: 1 } },
  ]
  for (const args of bad) expect([args, takes('rank_results', args)]).toEqual([args, false])
})
