// Random schemas over the keywords of a draft. Names, numbers and texts come from small sets, so that keywords meet.

/** @typedef {import('./random.cjs').Random} Random @typedef {import('./drafts.mjs').Draft} Draft */

export const NAMES = ['a', 'b', 'c', 'ab']
export const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']
const NUMBERS = [-1, 0, 1, 1.5, 2, 3, 10]
const DIVISORS = [1, 2, 3, 0.5]
const COUNTS = [0, 1, 2, 3]
export const PATTERNS = ['^a', 'b$', '^[ab]+$', '^$', 'é', '^(?!b)', '^(a|b)\\1$']
/** Patterns of names are matched in linear time, without look-around and back-references. */
const NAME_PATTERNS = ['^a', 'b$', '^[bc]$', '']
export const CONSTANTS = [null, true, false, 0, 1, 1.5, '', 'a', 'ab', [], [1], {}, { a: 1 }, { a: null }]

/**
 * @param {Random} random
 * @param {Draft} draft
 * @param {{ depth?: number, hasDefaults?: boolean }} [options]
 * @returns {Record<string, any>} with `$schema`, and definitions if something refers to them
 */
export function randomSchema(random, draft, { depth = 3, hasDefaults = false } = {}) {
  const names = random.chance(0.4) ? random.some(['x', 'y', 'z'], 0.6) : []
  const pointers = names.map(name => `#/${draft.definitions}/${name}`)
  const nested = [...pointers, '#']
  // A value must not refer to itself: a definition refers only from members and elements, and the root never to itself.
  const generator = (/** @type {string[]} */ here) => new Generator(random, draft, { hasDefaults, here, nested })
  const root = generator(pointers).object(depth)
  const definitions = names.map(name => [name, generator([]).schema(depth - 1)])
  if (definitions.length > 0) root[draft.definitions] = Object.fromEntries(definitions)
  return { $schema: draft.uri, ...root }
}

class Generator {
  #random
  #year
  #options

  /**
   * @param {Random} random
   * @param {Draft} draft
   * @param {{ hasDefaults: boolean, here: string[], nested: string[] }} options the references that are possible here, and
   *   in schemas of members and elements
   */
  constructor(random, draft, options) {
    this.#random = random
    this.#year = draft.year
    this.draft = draft
    this.#options = options
  }

  /** The generator of schemas for members and elements. */
  within() {
    const { nested } = this.#options
    return new Generator(this.#random, this.draft, { ...this.#options, here: nested })
  }

  /** @param {number} depth */
  schema(depth) {
    if (this.#year >= 6 && this.#random.chance(0.06)) return this.#random.chance(0.7)
    return this.object(depth)
  }

  /** @param {number} depth @returns {Record<string, any>} */
  object(depth) {
    const random = this.#random
    const { here, hasDefaults } = this.#options
    if (here.length > 0 && random.chance(0.15)) {
      const reference = { $ref: random.pick(here) }
      // Before 2019-09 the neighbours of `$ref` are ignored.
      return this.#year >= 2019 && random.chance(0.5) ? { ...reference, ...this.#keywords(depth - 1) } : reference
    }
    const schema = this.#keywords(depth)
    if (hasDefaults && random.chance(0.3)) schema.default = random.pick(CONSTANTS)
    return schema
  }

  /** @param {number} depth */
  #keywords(depth) {
    const random = this.#random
    /** @type {Record<string, any>} */
    const schema = {}
    if (random.chance(0.5)) schema.type = random.chance(0.8) ? random.pick(TYPES) : random.some(TYPES, 0.4)
    if (Array.isArray(schema.type) && schema.type.length === 0) delete schema.type
    if (random.chance(0.08)) schema.enum = unique(random.times(1, 4, () => random.pick(CONSTANTS)))
    if (this.#year >= 6 && random.chance(0.05)) schema.const = random.pick(CONSTANTS)
    if (random.chance(0.2)) this.#numbers(schema)
    if (random.chance(0.2)) this.#strings(schema)
    if (depth <= 0) return schema
    if (random.chance(0.5)) this.#objects(schema, depth - 1)
    if (random.chance(0.3)) this.#arrays(schema, depth - 1)
    if (random.chance(0.3)) this.#applicators(schema, depth - 1)
    return schema
  }

  /** @param {Record<string, any>} schema */
  #numbers(schema) {
    const random = this.#random
    if (random.chance(0.4)) schema.minimum = random.pick(NUMBERS)
    if (random.chance(0.4)) schema.maximum = random.pick(NUMBERS)
    if (random.chance(0.2)) schema.multipleOf = random.pick(DIVISORS)
    if (!random.chance(0.3)) return
    if (this.#year >= 6) schema.exclusiveMinimum = random.pick(NUMBERS)
    else if (schema.minimum !== undefined) schema.exclusiveMinimum = random.chance(0.5)
  }

  /** @param {Record<string, any>} schema */
  #strings(schema) {
    const random = this.#random
    if (random.chance(0.4)) schema.minLength = random.pick(COUNTS)
    if (random.chance(0.4)) schema.maxLength = random.pick(COUNTS)
    if (random.chance(0.4)) schema.pattern = random.pick(PATTERNS)
  }

  /** @param {Record<string, any>} schema @param {number} depth */
  #objects(schema, depth) {
    const random = this.#random
    const inner = this.within()
    const names = random.some(NAMES, 0.5)
    if (names.length > 0) schema.properties = Object.fromEntries(names.map(name => [name, inner.schema(depth)]))
    const required = random.some(NAMES, 0.25)
    if (required.length > 0) schema.required = required
    if (random.chance(0.15)) schema.patternProperties = { [random.pick(NAME_PATTERNS)]: inner.schema(depth) }
    if (random.chance(0.3)) schema.additionalProperties = random.chance(0.5) ? false : inner.schema(depth)
    if (random.chance(0.1)) schema.minProperties = random.pick(COUNTS)
    if (random.chance(0.1)) schema.maxProperties = random.pick(COUNTS)
    if (this.#year >= 6 && random.chance(0.08)) schema.propertyNames = inner.schema(0)
    if (random.chance(0.1)) this.#dependencies(schema, depth)
    if (this.#year >= 2019 && random.chance(0.12))
      schema.unevaluatedProperties = random.chance(0.6) ? false : inner.schema(0)
  }

  /** @param {Record<string, any>} schema @param {number} depth */
  #dependencies(schema, depth) {
    const random = this.#random
    const names = Object.fromEntries([[random.pick(NAMES), random.some(NAMES, 0.4)]])
    const schemas = Object.fromEntries([[random.pick(NAMES), this.object(depth)]])
    if (this.#year < 2019) {
      // Draft-04 wants at least one name.
      const list = Object.values(names)[0].length > 0 ? names : { a: ['b'] }
      schema.dependencies = random.chance(0.5) ? list : schemas
    } else if (random.chance(0.5)) schema.dependentRequired = names
    else schema.dependentSchemas = schemas
  }

  /** @param {Record<string, any>} schema @param {number} depth */
  #arrays(schema, depth) {
    const random = this.#random
    const inner = this.within()
    if (random.chance(0.3)) this.#tuple(schema, depth)
    else if (random.chance(0.6)) schema.items = inner.schema(depth)
    if (random.chance(0.2)) schema.minItems = random.pick(COUNTS)
    if (random.chance(0.2)) schema.maxItems = random.pick(COUNTS)
    if (random.chance(0.15)) schema.uniqueItems = true
    if (this.#year >= 6 && random.chance(0.15)) schema.contains = inner.schema(depth)
    if (this.#year < 2019) return
    if (schema.contains !== undefined && random.chance(0.4)) schema.minContains = random.pick(COUNTS)
    if (schema.contains !== undefined && random.chance(0.4)) schema.maxContains = random.pick(COUNTS)
    if (random.chance(0.12)) schema.unevaluatedItems = random.chance(0.6) ? false : inner.schema(0)
  }

  /** @param {Record<string, any>} schema @param {number} depth */
  #tuple(schema, depth) {
    const random = this.#random
    const inner = this.within()
    const schemas = random.times(1, 2, () => inner.schema(depth))
    const [first, rest] = this.#year >= 2020 ? ['prefixItems', 'items'] : ['items', 'additionalItems']
    schema[first] = schemas
    if (random.chance(0.5)) schema[rest] = random.chance(0.5) && this.#year >= 6 ? false : inner.object(depth)
  }

  /** @param {Record<string, any>} schema @param {number} depth */
  #applicators(schema, depth) {
    const random = this.#random
    for (const keyword of random.some(['allOf', 'anyOf', 'oneOf'], 0.4))
      schema[keyword] = random.times(1, 3, () => this.schema(depth))
    if (random.chance(0.15)) schema.not = this.schema(depth)
    if (this.#year < 7 || !random.chance(0.2)) return
    schema.if = this.schema(depth)
    if (random.chance(0.8)) schema.then = this.schema(depth)
    if (random.chance(0.6)) schema.else = this.schema(depth)
  }
}

/** @param {unknown[]} values */
function unique(values) {
  return [...new Map(values.map(value => [JSON.stringify(value), value])).values()]
}
