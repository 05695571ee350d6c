// Compilation of hostile definitions: bounded time and memory, watched from outside.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { realSchemas } from '../corpus.mjs'
import { DRAFTS } from '../drafts.mjs'
import { mutated, subschemas } from '../mutations.mjs'
import { randomSchema } from '../schemas.mjs'

const CHILD = fileURLToPath(new URL('../compile-child.mjs', import.meta.url))
/** A compilation takes milliseconds; these are the bounds beyond which it is a fault. */
const MAX_MS = 5000
const MAX_GROWTH_MB = 512

export const name = 'bounds'

export async function open() {
  return { schemas: realSchemas(), child: startChild() }
}

/** @param {{ child: Child }} context */
export async function close({ child }) {
  child.process.kill('SIGKILL')
}

/**
 * @typedef {ReturnType<typeof startChild>} Child
 */

function startChild() {
  const process = spawn(globalThis.process.execPath, [CHILD], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: process.stdout })
  return { process, lines }
}

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count @param {any} context */
export async function step(random, count, context) {
  const parameters = random.pick([randomRecursive, denseReferences, mutatedRecursive])(random, context)
  const fault = await compileFault(context, parameters)
  count(fault === null ? 'in bounds' : 'out of bounds')
  return fault === null ? [] : [{ case: { schema: parameters }, detail: fault }]
}

/** @param {import('../random.cjs').Random} random */
const randomRecursive = random => randomSchema(random, random.pick(DRAFTS), { depth: 4, hasDefaults: true })

/** @param {import('../random.cjs').Random} random @param {any} context */
const mutatedRecursive = (random, context) => recursive(random, mutated(random, random.pick(context.schemas)))

/** Definitions of which each references several others. @param {import('../random.cjs').Random} random */
function denseReferences(random) {
  const names = random.times(2, 200, () => '').map((_, index) => `d${index}`)
  const reference = () => ({ $ref: `#/$defs/${random.pick(names)}` })
  const forms = [reference, () => ({ anyOf: [reference(), { type: 'null' }] }), () => ({ items: reference() })]
  const definition = () => {
    const properties = random.times(1, 8, () => random.pick(forms)())
    return { type: 'object', properties: Object.fromEntries(properties.map((property, key) => [`k${key}`, property])) }
  }
  const $defs = Object.fromEntries(names.map(name => [name, definition()]))
  return { type: 'object', properties: { start: reference() }, $defs }
}

/** The schema with references to itself in some of its places. @param {import('../random.cjs').Random} random @param {any} schema */
function recursive(random, schema) {
  for (const place of random.some(subschemas(schema).slice(1), 0.2)) {
    if (random.chance(0.5)) place.$ref = '#'
    else place.allOf = [...(Array.isArray(place.allOf) ? place.allOf : []), { $ref: '#' }]
  }
  return schema
}

/** What the child says of a compilation; a child that is out of bounds is replaced. @param {{ child: Child }} context @param {any} parameters */
async function compileFault(context, parameters) {
  const { process, lines } = context.child
  const line = once(lines, 'line', { signal: AbortSignal.timeout(MAX_MS) })
  process.stdin.write(`${JSON.stringify(parameters)}\n`)
  try {
    const [text] = await line
    const { growthMb, error } = JSON.parse(text)
    if (error !== undefined) return error
    return growthMb > MAX_GROWTH_MB ? `memory grew by ${growthMb} MB` : null
  } catch {
    process.kill('SIGKILL')
    context.child = startChild()
    return `no result within ${MAX_MS} ms`
  }
}
