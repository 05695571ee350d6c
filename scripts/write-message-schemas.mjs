// Writes what the services take as the messages that a request repeats: JSON Schemas of the parameters' types in the providers' packages. All
// objects are closed, so that what a package only adds to its answers does not fit.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

import { root } from './run-step.mjs'

const FILE = path.join(root, '__test__/transports/fixtures/message-schemas.json')
/** Schema → the module and the type. */
const TYPES = {
  chat: ['openai/resources/chat/completions/completions.d.ts', 'ChatCompletionAssistantMessageParam'],
  responses: ['openai/resources/responses/responses.d.ts', 'ResponseInputItem'],
  anthropic: ['@anthropic-ai/sdk/resources/messages/messages.d.ts', 'MessageParam'],
}

/** The schemas of the types that a type reaches. */
class SchemaWriter {
  $defs = {}
  #names = new Map()

  /** @param {ts.TypeChecker} checker */
  constructor(checker) {
    this.checker = checker
  }

  /** @param {ts.Type} type */
  schemaOf(type) {
    if (type.isUnion()) return this.#union(type.types)
    // `string & {}` keeps the names that an editor offers.
    if (type.isIntersection() && type.types.some(part => part.flags & ts.TypeFlags.String)) return { type: 'string' }
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: this.checker.typeToString(type) === 'true' }
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value }
    if (type.flags & ts.TypeFlags.String) return { type: 'string' }
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' }
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' }
    if (this.checker.isArrayType(type))
      return { type: 'array', items: this.schemaOf(this.checker.getTypeArguments(type)[0]) }
    return type.flags & ts.TypeFlags.Object ? this.#object(type) : {}
  }

  /** @param {ts.Type[]} types */
  #union(types) {
    const schemas = types.filter(type => !(type.flags & ts.TypeFlags.Undefined)).map(type => this.schemaOf(type))
    const values = schemas.filter(schema => schema.const !== undefined).map(schema => schema.const)
    const others = schemas.filter(schema => schema.const === undefined)
    const all = values.length > 0 ? [{ enum: values }, ...others] : others
    return all.length === 1 ? all[0] : { anyOf: all }
  }

  /** @param {ts.Type} type */
  #object(type) {
    const known = this.#names.get(type)
    if (known !== undefined) return { $ref: `#/$defs/${known}` }
    const name = this.#newName(type)
    this.#names.set(type, name)
    this.$defs[name] = {} // its place, in the order of the types
    this.$defs[name] = this.#closed(type)
    return { $ref: `#/$defs/${name}` }
  }

  /** @param {ts.Type} type */
  #newName(type) {
    const name = this.checker.getFullyQualifiedName(type.symbol).replace(/^".*"\.|[^\w.]/g, '')
    const taken = Object.keys(this.$defs).filter(other => other.replace(/_\d+$/, '') === name).length
    return taken === 0 ? name : `${name}_${taken}`
  }

  /** @param {ts.Type} type */
  #closed(type) {
    const index = this.checker.getIndexInfosOfType(type)[0]
    const properties = {}
    const required = []
    for (const member of this.checker.getPropertiesOfType(type)) {
      properties[member.name] = this.schemaOf(this.checker.getTypeOfSymbol(member))
      if (!(member.flags & ts.SymbolFlags.Optional)) required.push(member.name)
    }
    // `unknown` and `object` have no members of their own.
    if (required.length === 0 && Object.keys(properties).length === 0) return { type: 'object' }
    const others = index === undefined ? false : this.schemaOf(index.type)
    return { type: 'object', properties, required, additionalProperties: others }
  }
}

const files = Object.values(TYPES).map(([file]) => path.join(root, 'node_modules', file))
const options = { strict: true, skipLibCheck: true, moduleResolution: ts.ModuleResolutionKind.Bundler }
const program = ts.createProgram(files, { ...options, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 })
const checker = program.getTypeChecker()

/** @param {string} file @param {string} name */
function schemaOf(file, name) {
  const source = program.getSourceFile(path.join(root, 'node_modules', file))
  const symbol = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).find(one => one.name === name)
  const writer = new SchemaWriter(checker)
  return { ...writer.schemaOf(checker.getDeclaredTypeOfSymbol(symbol)), $defs: writer.$defs }
}

const schemas = Object.fromEntries(Object.entries(TYPES).map(([key, [file, name]]) => [key, schemaOf(file, name)]))
mkdirSync(path.dirname(FILE), { recursive: true })
writeFileSync(FILE, `${JSON.stringify(schemas)}\n`)
