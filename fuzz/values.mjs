// Random values near a schema: most of them follow it, so that both valid and invalid values occur.
import { CONSTANTS, NAMES, TYPES } from './schemas.mjs'

const TEXTS = ['', 'a', 'b', 'ab', 'aa', 'bb', 'é', '\u{1F600}', 'abc']
const NUMBERS = [-1, 0, 1, 2, 3, 1.5, 0.5, 10, 1e21, 1e-7]
const MAX_DEPTH = 6

/** @typedef {import('./random.cjs').Random} Random */

/** @param {Random} random @param {any} root a schema @returns {any} */
export function randomValue(random, root) {
  return new ValueGenerator(random, root).value(root, MAX_DEPTH)
}

class ValueGenerator {
  #random
  #root

  /** @param {Random} random @param {any} root */
  constructor(random, root) {
    this.#random = random
    this.#root = root
  }

  /** @param {any} schema @param {number} depth @returns {any} */
  value(schema, depth) {
    const random = this.#random
    if (depth <= 0 || random.chance(0.06)) return random.pick(CONSTANTS)
    if (typeof schema !== 'object' || schema === null) return this.#any(depth)
    if (schema.const !== undefined && random.chance(0.9)) return schema.const
    if (Array.isArray(schema.enum) && schema.enum.length > 0 && random.chance(0.9)) return random.pick(schema.enum)
    const branch = this.#branch(schema)
    const merged = branch === null ? schema : { ...branch, ...schema }
    return this.#ofType(this.#type(merged), merged, depth)
  }

  /** One schema that the value may have to fit too. @param {any} schema */
  #branch(schema) {
    const target = typeof schema.$ref === 'string' ? this.#resolve(schema.$ref) : null
    const branches = [
      target,
      ...['allOf', 'anyOf', 'oneOf'].flatMap(keyword => schema[keyword] ?? []),
      schema.then,
      schema.else,
    ]
    const usable = branches.filter(branch => typeof branch === 'object' && branch !== null)
    return usable.length > 0 && this.#random.chance(0.85) ? this.#random.pick(usable) : null
  }

  /** @param {string} reference a pointer within the schema */
  #resolve(reference) {
    if (!reference.startsWith('#')) return null
    const names = reference.slice(1).split('/').slice(1)
    return names.reduce((at, name) => at?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], this.#root) ?? null
  }

  /** @param {any} schema */
  #type(schema) {
    const declared = [schema.type].flat().filter(type => TYPES.includes(type))
    if (declared.length > 0) return this.#random.pick(declared)
    if (schema.properties !== undefined || schema.required !== undefined) return 'object'
    if (schema.items !== undefined || schema.prefixItems !== undefined) return 'array'
    return this.#random.pick(TYPES)
  }

  /** @param {string} type @param {any} schema @param {number} depth @returns {any} */
  #ofType(type, schema, depth) {
    const random = this.#random
    if (type === 'object') return this.#object(schema, depth - 1)
    if (type === 'array') return this.#array(schema, depth - 1)
    if (type === 'string') return random.pick(TEXTS)
    if (type === 'number') return random.pick(NUMBERS)
    if (type === 'integer') return random.pick(NUMBERS.filter(Number.isInteger))
    return type === 'boolean' ? random.chance(0.5) : null
  }

  /** @param {any} schema @param {number} depth */
  #object(schema, depth) {
    const random = this.#random
    const properties = typeof schema.properties === 'object' && schema.properties !== null ? schema.properties : {}
    const required = Array.isArray(schema.required) ? schema.required : []
    const names = new Set([...random.some(required, 0.9), ...random.some(Object.keys(properties), 0.6)])
    if (random.chance(0.25)) names.add(random.pick(NAMES))
    const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : true
    // `__proto__` as a name must be a member like others.
    const entries = [...names].map(name => [
      name,
      this.value(Object.hasOwn(properties, name) ? properties[name] : rest, depth),
    ])
    return Object.fromEntries(entries)
  }

  /** @param {any} schema @param {number} depth */
  #array(schema, depth) {
    const random = this.#random
    const least = Math.min(Number(schema.minItems ?? 0) || 0, 5)
    const prefix = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : [])
    const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items
    const length = Math.max(random.below(4), random.chance(0.8) ? least : 0)
    return Array.from({ length }, (_, at) => this.value(at < prefix.length ? prefix[at] : rest, depth))
  }

  /** @param {number} depth */
  #any(depth) {
    return this.#random.chance(0.6) ? this.#random.pick(CONSTANTS) : this.#ofType(this.#random.pick(TYPES), {}, depth)
  }
}
