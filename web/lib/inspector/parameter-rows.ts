// A schema's properties as table rows; deeper properties and other keywords are shown in the schema only.

export interface ParameterRow {
  /** Names joined by dots; `[]` after a list. */
  path: string
  depth: number
  type: string
  bounds: string
  isRequired: boolean
  isSensitive: boolean
  /** The default as JSON text, if any. */
  standard: string | undefined
  description: string | undefined
}

type Schema = Record<string, unknown>

const DEEPEST = 3

export function parameterRows(schema: Schema, prefix = '', depth = 0): ParameterRow[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  const required = (schema.required ?? []) as string[]
  return properties.flatMap(([name, property]) => {
    const path = `${prefix}${name}`
    const row = { ...rowOf(property), path, depth, isRequired: required.includes(name) }
    if (depth >= DEEPEST) return [row]
    const isList = property.type === 'array'
    const inner = isList ? ((property.items ?? {}) as Schema) : property
    return [row, ...parameterRows(inner, `${path}${isList ? '[]' : ''}.`, depth + 1)]
  })
}

function rowOf(property: Schema): Omit<ParameterRow, 'path' | 'depth' | 'isRequired'> {
  const items = (property.items ?? {}) as Schema
  return {
    type: typeOf(property),
    bounds: [boundsOf(property), property.type === 'array' ? boundsOf(items) : ''].filter(Boolean).join(', each '),
    isSensitive: property['x-sensitive'] === true || items['x-sensitive'] === true,
    standard: property.default === undefined ? undefined : JSON.stringify(property.default),
    description: property.description as string | undefined,
  }
}

function typeOf(schema: Schema): string {
  const { type, format, items, $ref } = schema
  if (Array.isArray(schema.enum)) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (typeof $ref === 'string') return $ref.split('/').at(-1) ?? $ref
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (type === undefined && choices) return choices.map(typeOf).join(' | ')
  const plain =
    type === 'array'
      ? `list of ${items ? typeOf(items as Schema) : 'anything'}`
      : [type ?? 'anything'].flat().join(' | ')
  return typeof format === 'string' ? `${plain} (${format})` : plain
}

function boundsOf(schema: Schema): string {
  const parts = [
    between(schema.minimum, schema.maximum, ''),
    schema.exclusiveMinimum === undefined ? '' : `above ${String(schema.exclusiveMinimum)}`,
    schema.exclusiveMaximum === undefined ? '' : `below ${String(schema.exclusiveMaximum)}`,
    between(schema.minLength, schema.maxLength, ' characters'),
    between(schema.minItems, schema.maxItems, ' items'),
    schema.uniqueItems === true ? 'no two alike' : '',
    typeof schema.pattern === 'string' ? `/${schema.pattern}/` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

function between(least: unknown, most: unknown, unit: string): string {
  if (least === undefined && most === undefined) return ''
  if (least === undefined) return `at most ${String(most)}${unit}`
  if (most === undefined) return `at least ${String(least)}${unit}`
  return `${String(least)} to ${String(most)}${unit}`
}
