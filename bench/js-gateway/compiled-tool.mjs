// A tool as the gateway runs it: its definition, its handler, and its validator compiled by Ajv.
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Findings in the message itself; `details` has them all. */
const TOLD = 5

/**
 * @param {{ validateSchema?: boolean }} [options] false leaves out the check against the meta-schema: the compiler that
 *   wrote the artifact has done it
 */
export function createAjv({ validateSchema = true } = {}) {
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, strict: true, validateSchema })
  addFormats(ajv)
  return ajv
}

/** @returns the definition (an entry of the artifact) with what a call needs of it prepared */
export function compileTool(ajv, definition, handler) {
  return {
    id: definition.toolId,
    version: definition.version,
    category: definition.category,
    writes: definition.sideEffects === 'writes',
    retrieval: definition.category === 'retrieval',
    modes: new Set(definition.allowedModes),
    timeoutMs: definition.timeoutMs ?? 25_000,
    resultLimitBytes: definition.resultLimitBytes,
    rateLimit: definition.rateLimit,
    asks: definition.requiresConfirmation,
    confirmationTtlMs: definition.confirmation?.ttlMs,
    validate: ajv.compile(definition.jsonSchema),
    findMissing: missingFinder(definition.jsonSchema),
    handler: typeof handler === 'function' ? handler : handler.execute.bind(handler),
  }
}

/**
 * Fills defaults in place and validates.
 * @returns {{ defaulted: string[], error: object | null }}
 */
export function completeAndValidate(tool, args) {
  const defaulted = []
  tool.findMissing?.(args, '', defaulted)
  if (tool.validate(args)) return { defaulted, error: null }
  return { defaulted, error: validationError(tool, tool.validate.errors) }
}

function validationError(tool, errors) {
  const details = errors.map(({ instancePath, schemaPath, keyword, params, message }) => ({
    instancePath,
    schemaPath,
    keyword,
    params,
    message,
  }))
  const told = details.slice(0, TOLD).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
  const more = details.length > TOLD ? `; and ${details.length - TOLD} more` : ''
  return {
    type: 'VALIDATION',
    message: `the arguments of \`${tool.id}\` do not fit: ${told.join('; ')}${more}`,
    details,
  }
}

/**
 * Ajv fills defaults and does not report which. This looks for them first: properties and items, nothing else.
 * @returns {((value: unknown, path: string, found: string[]) => void) | null} null where the schema has no default
 */
function missingFinder(schema) {
  const own = []
  const below = []
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if ('default' in property) own.push([name, pointer])
    const finder = missingFinder(property)
    if (finder) below.push([name, pointer, finder])
  }
  const item = schema.items ? missingFinder(schema.items) : null
  if (own.length === 0 && below.length === 0 && !item) return null
  return (value, path, found) => {
    if (Array.isArray(value)) {
      if (item) for (let index = 0; index < value.length; index++) item(value[index], `${path}/${index}`, found)
    } else if (value !== null && typeof value === 'object') {
      for (const [name, pointer] of own) if (value[name] === undefined) found.push(path + pointer)
      for (const [name, pointer, finder] of below) finder(value[name], path + pointer, found)
    }
  }
}
