// Templates: `{{path}}` and `{{path|default}}`. Look-ups follow own members only, so that client data cannot reach a
// prototype. A missing path renders as a fixed text, so that the error of a scenario shows in its answer.

/** @import { TemplateView } from './types.js' */

/** A whole string that renders as a number. */
const NUMBER = /^\{\{\s*#\s*([^{}|]+?)\s*\}\}$/
const PLACEHOLDER = /\{\{\s*#?\s*([^{}|]*?)\s*(?:\|([^{}]*))?\}\}/g

/** Allowed first segments of a path. */
export const TEMPLATE_ROOTS = [
  'user',
  'match',
  'result',
  'results',
  'item',
  'number',
  'audio',
  'turn',
  'connection',
  'scenario',
]

/**
 * @param {unknown} view
 * @param {string} path segments separated by dots; digits index arrays
 * @returns {{ found: boolean, value?: unknown }}
 */
export function lookUp(view, path) {
  let value = view
  for (const segment of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return { found: false }
    value = /** @type {Record<string, unknown>} */ (value)[segment]
  }
  return { found: true, value }
}

/**
 * Renders strings unchanged and other values as JSON. A missing path renders as its default, or `(no <path>)`;
 * null renders as the default, or `null`.
 *
 * @param {string} text
 * @param {TemplateView} view
 * @returns {string}
 */
export function renderTemplate(text, view) {
  return text.replace(PLACEHOLDER, (_whole, path, fallback) => {
    const { found, value } = lookUp(view, path)
    if (!found || value === undefined) return fallback ?? `(no ${path})`
    if (value === null) return fallback ?? 'null'
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

/**
 * Renders every string inside a JSON value. A string that is `{{#path}}` as a whole renders as the number that its value
 * spells, and as text if it spells none.
 *
 * @param {unknown} value
 * @param {TemplateView} view
 * @returns {unknown}
 */
export function renderDeep(value, view) {
  if (typeof value === 'string') return renderString(value, view)
  if (Array.isArray(value)) return value.map(item => renderDeep(item, view))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderDeep(item, view)]))
}

/** @param {string} text @param {TemplateView} view */
function renderString(text, view) {
  const rendered = renderTemplate(text, view)
  const number = Number(rendered)
  return NUMBER.test(text) && rendered.trim() !== '' && Number.isFinite(number) ? number : rendered
}

/**
 * @param {string} text
 * @returns {string | null} the template's error, if any
 */
export function templateProblem(text) {
  const rest = text.replace(PLACEHOLDER, '')
  if (rest.includes('{{')) return 'a placeholder is not closed; write `{{path}}` or `{{path|default}}`'
  for (const [, path] of text.matchAll(PLACEHOLDER)) {
    const problem = pathProblem(path)
    if (problem !== null) return problem
  }
  return null
}

/**
 * @param {string} path
 * @returns {string | null} the path's error, if any
 */
export function pathProblem(path) {
  const [root] = path.split('.')
  if (TEMPLATE_ROOTS.includes(root)) return null
  return `path \`${path}\` starts with none of ${TEMPLATE_ROOTS.map(name => `\`${name}\``).join(', ')}`
}
