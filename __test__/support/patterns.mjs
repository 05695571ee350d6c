// The patterns of the corpus, and what this runtime's own RegExp says about patterns.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const CORPUS = process.env.TOOLGATE_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))
export const isPresent = existsSync(CORPUS)
if (!isPresent) console.log(`no corpus was found at \`${CORPUS}\` (TOOLGATE_CORPUS); its patterns are not compared`)

const readLines = file =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

export const labelled = () => readLines(path.join(CORPUS, 'hostile', 'redos-patterns.jsonl'))

/** Adds the patterns of a schema, and of all that is in it. */
function collectPatterns(value, patterns) {
  if (value === null || typeof value !== 'object') return
  if (typeof value.pattern === 'string') patterns.add(value.pattern)
  if (!Array.isArray(value)) Object.keys(value.patternProperties ?? {}).forEach(name => patterns.add(name))
  for (const inner of Object.values(value)) collectPatterns(inner, patterns)
}

export function corpusPatterns() {
  const patterns = new Set(labelled().map(({ pattern }) => pattern))
  const tools = path.join(CORPUS, 'tools')
  for (const name of readdirSync(tools))
    readLines(path.join(tools, name)).forEach(tool => collectPatterns(tool, patterns))
  return [...patterns]
}

export function isUnicodePattern(pattern) {
  try {
    RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
