// What a pattern that backtracks without end costs, on a text made for it. The build warns of such a pattern; a schema
// may have one all the same. Ajv has a process of its own, which is ended.
import { runFresh } from './fresh-process.mjs'

const PATTERN = '^(a+)+$'
const CHARACTERS = 30
const LIMIT_MS = 5000

/** @returns {Promise<{ pattern: string, characters: number, limitMs: number, ms: { js: number | null, toolgate: number | null } }>} null: not done in time */
export async function measureRegex() {
  const run = async name =>
    (await runFresh('regex-child.mjs', [name, PATTERN, String(CHARACTERS)], { limitMs: LIMIT_MS }))?.ms ?? null
  return {
    pattern: PATTERN,
    characters: CHARACTERS,
    limitMs: LIMIT_MS,
    ms: { js: await run('js'), toolgate: await run('toolgate') },
  }
}
