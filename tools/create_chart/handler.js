// Checks a chart's data against its own axes. Drawing is the page's.
import { ErrorType } from '../_core/error-types.js'
import { failure, success } from '../_core/tool-response.js'

const SOURCE = 'numbers as given with the call; not checked against any source'
const MAX_PROBLEMS = 10

/**
 * @typedef {Record<string, unknown>} Row
 * @typedef {{ type: string, title: string, data: Row[], x: string, y: string[] }} Chart the arguments
 * @typedef {{ at: string, message: string }} Problem
 */

/** @param {import('../../index.js').HandlerContext<Chart>} context */
export function execute({ args }) {
  const { type, title, data, x, y } = args
  const problems = [...seriesProblems(args), ...data.flatMap((row, index) => rowProblems(row, index, args))]
  if (problems.length > 0) return refusal(problems.slice(0, MAX_PROBLEMS))
  const rows = data.map(row => Object.fromEntries([x, ...y].map(name => [name, row[name]])))
  return success({ type, title, x, series: y, rows, source: SOURCE })
}

/** @param {Chart} chart */
function seriesProblems({ type, data, x, y }) {
  /** @type {Problem[]} */
  const problems = []
  if (y.includes(x))
    problems.push({ at: `/y/${y.indexOf(x)}`, message: `\`${x}\` is the x axis; it can't be a series` })
  if (type === 'pie' && y.length > 1) problems.push({ at: '/y', message: 'a pie shows one series' })
  y.forEach((name, index) => {
    const numbers = data.map(row => row[name]).filter(value => typeof value === 'number')
    if (numbers.length === 0) problems.push({ at: `/y/${index}`, message: `\`${name}\` has no number in any row` })
    else if (type === 'pie' && numbers.every(value => value === 0)) {
      problems.push({ at: `/y/${index}`, message: 'the parts of a pie are all 0' })
    }
  })
  return problems
}

/** @param {Row} row @param {number} index @param {Chart} chart */
function rowProblems(row, index, { type, x, y }) {
  const problems = []
  if (!Object.hasOwn(row, x) || row[x] === null) {
    problems.push({ at: `/data/${index}`, message: `the row has no \`${x}\`` })
  }
  for (const name of y) {
    const value = Object.hasOwn(row, name) ? row[name] : undefined
    if (value !== null && typeof value !== 'number') {
      problems.push({ at: `/data/${index}`, message: `\`${name}\` must be a number, or null for a gap` })
    } else if (type === 'pie' && (value === null || value < 0)) {
      problems.push({ at: `/data/${index}`, message: `a part of a pie must be a number from 0, \`${name}\` is not` })
    }
  }
  return problems
}

/** @param {Problem[]} problems */
const refusal = problems =>
  failure(ErrorType.VALIDATION, `the data does not fit the chart: ${problems[0].message} (${problems[0].at})`, {
    retryable: false,
    details: problems.map(({ at, message }) => ({
      instancePath: at,
      schemaPath: '',
      keyword: 'chart',
      params: {},
      message,
    })),
  })
