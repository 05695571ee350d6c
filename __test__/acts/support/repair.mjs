// Arguments that are nearly right: mutants of a public benchmark's expected calls from which the original is clear, sent
// through the gate. Repaired is one whose handler gets exactly the original; wrong, one whose handler gets anything else.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import { compileToolSet, writeToolFolders } from '../../../bench/tool-set.mjs'
import { toolgate } from '../../../bench/toolgate.mjs'

const WRAPPERS = ['arguments', 'parameters', 'input', 'args']

/** @param {object} args @param {string} name @returns {[string, unknown][]} rule and what is sent: an object, or text */
function* mutantsOf({ parameters, name }, args) {
  const text = JSON.stringify(args)
  yield ['json_text', JSON.stringify(text)]
  yield ['code_fence', `\`\`\`json\n${text}\n\`\`\``]
  if (Object.keys(args).length > 0) {
    yield ['trailing_comma', `${text.slice(0, -1)},}`]
    yield ['wrapped_arguments', { [WRAPPERS[text.length % WRAPPERS.length]]: args }]
  }
  for (const [property, schema] of Object.entries(parameters.properties ?? {})) {
    if (property in args)
      for (const [rule, value] of ofValue(schema, args[property])) yield [rule, { ...args, [property]: value }]
    else if (!parameters.required?.includes(property) && typeof schema.type === 'string' && schema.type !== 'null')
      if (!('default' in schema)) yield ['null_absent', { ...args, [property]: null }]
  }
  yield ['tool_name', args, `functions.${name}`]
  yield ['tool_name', args, name.toUpperCase()]
}

/** Only a plain `type` says what was meant for sure. */
function* ofValue(schema, value) {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && !Object.is(value, -0)
  if ((schema.type === 'integer' || schema.type === 'number') && isNumber) {
    yield ['number_text', String(value)]
    yield ['number_text', ` ${value} `]
  }
  if (schema.type === 'boolean' && typeof value === 'boolean') {
    const word = String(value)
    for (const text of [word, word.toUpperCase(), ` ${word}`]) yield ['boolean_text', text]
  }
  if (schema.type === 'string' && typeof value === 'string' && !schema.enum) {
    if (/^[1-9][0-9]{0,14}$/u.test(value)) yield ['text_of_number', Number(value)]
    if (value === 'true' || value === 'false') yield ['text_of_boolean', value === 'true']
  }
  if (schema.type === 'string' && schema.enum?.includes(value)) {
    const same = schema.enum.filter(one => typeof one === 'string' && one.toLowerCase() === value.toLowerCase())
    if (same.length === 1 && value.toUpperCase() !== value) yield ['enum_spelling', value.toUpperCase()]
  }
  if (schema.type !== (Array.isArray(value) ? 'array' : 'object') || value === null) return
  yield ['json_text', JSON.stringify(value)]
  if (Array.isArray(value) && value.length === 1 && !Array.isArray(value[0])) yield ['single_item', value[0]]
}

const definitionOf = ({ name, parameters }) => ({
  toolId: name,
  version: '1.0.0',
  category: 'retrieval',
  description: 'A function of a benchmark. Use it when the user asks for it.',
  sideEffects: 'read_only',
  idempotent: true,
  requiresConfirmation: false,
  allowedModes: ['text'],
  latencyBudgetMs: 600_000,
  parameters: { additionalProperties: false, ...parameters, type: 'object' },
})

/** The functions with expected calls, each name once; names of providers only. */
function readTools(corpus, files) {
  const texts = files.map(file => readFileSync(join(corpus, 'tools', file), 'utf8'))
  const lines = texts.flatMap(text => text.split('\n').filter(Boolean))
  const seen = new Set()
  return lines
    .map(line => JSON.parse(line))
    .filter(({ name, args }) => {
      const isTaken = !/^[a-z][a-z0-9_]{2,40}$/u.test(name) || !args?.length || seen.has(name)
      seen.add(name)
      return !isTaken
    })
}

/** The registry of these functions. Those whose definitions do not build are left out: the corpus has broken ones. */
async function openRegistry(tools, heard) {
  const isWhole = await buildErrors(tools.map(definitionOf))
  const built = tools.filter(({ name }) => isWhole(name))
  const toolSet = await compileToolSet(built.map(definitionOf))
  const execute = ({ args }) => {
    heard.push(args)
    return { ok: true }
  }
  const handlers = Object.fromEntries(built.map(({ name }) => [name, execute]))
  const registry = await toolgate.createRegistry({ artifact: toolSet.path, handlers, audit: 'none' }).load()
  const close = async () => {
    await registry.close({ timeoutMs: 0 })
    toolSet.remove()
  }
  return { registry, built, close }
}

async function buildErrors(definitions) {
  const { root, toolsDir, remove } = writeToolFolders(definitions)
  try {
    const { diagnostics } = await toolgate.buildTools({ toolsDir, outDir: root })
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    const broken = new Set(errors.map(({ file }) => basename(dirname(file))))
    return name => !broken.has(name)
  } finally {
    remove()
  }
}

/**
 * @param {string} corpus
 * @returns {Promise<{ tools: number, calls: number, mutants: number, repaired: number, wrong: number, rules: Record<string, { mutants: number, repaired: number }> }>}
 */
export async function measureRepair(corpus) {
  const heard = []
  const { registry, built, close } = await openRegistry(readTools(corpus, ['tau2.jsonl', 'bfcl.jsonl']), heard)
  const found = { tools: built.length, calls: 0, mutants: 0, repaired: 0, wrong: 0, rules: {} }
  try {
    for (const tool of built)
      for (const args of tool.args) {
        await mutate({ registry, tool, args, heard }, found)
      }
    return found
  } finally {
    await close()
  }
}

async function mutate({ registry, tool, args, heard }, found) {
  const policy = { totalCalls: 10_000 }
  const session = await registry.createSession({ mode: 'text', policy })
  const run = async (name, sent) => {
    heard.length = 0
    await session.beginTurn()
    const answer = await session.execute({ id: `call_mutant_${found.mutants}_${++sentCalls}`, name, args: sent })
    return { answer, got: heard[0] }
  }
  const { answer: valid, got: original } = await run(tool.name, args)
  // The corpus has calls that break their own schema.
  if (!valid.ok || valid.meta.repaired) return session.detach()
  found.calls++
  for (const [rule, sent, name = tool.name] of mutantsOf(tool, args)) {
    const { answer, got } = await run(name, sent)
    const rules = answer.meta.repaired?.map(repaired => repaired.rule)
    // A mutant that the schema takes as it is needs no repair.
    if (answer.ok && rules === undefined) continue
    const score = (found.rules[rule] ??= { mutants: 0, repaired: 0 })
    const isSame = got !== undefined && isDeepStrictEqual(got, original)
    for (const one of [found, score]) one.mutants++
    if (isSame) for (const one of [found, score]) one.repaired++
    else if (got !== undefined) found.wrong++
  }
  return session.detach()
}
let sentCalls = 0
