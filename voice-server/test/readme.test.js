// README.md: its program runs, and its tables are complete.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '../src/settings/limits.js'

const at = path => new URL(path, import.meta.url)
const readme = readFileSync(at('../README.md'), 'utf8')
const root = at('../src/')
/** What clients are sent comes from these; a link's frames are its provider's. */
const sources = readdirSync(root, { recursive: true })
  .filter(name => name.endsWith('.js') && !name.startsWith('providers'))
  .map(name => readFileSync(new URL(name, root), 'utf8'))
  .join('\n')

/** First cells of the tables' rows, as code. */
const documented = new Set(
  readme
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .flatMap(line => [...line.split('|')[1].matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
)

test('the program of the README runs', async t => {
  const [, code] = /```js\n([^]*?)```/.exec(readme)
  const file = at('./readme-program.mjs')
  t.after(() => rmSync(file))
  const setting =
    "const myKnowledgeBase = {}\nconst userOf = () => null\nprocess.env.GEMINI_API_KEY = 'any'\nprocess.env.TOOLGATE_AUDIT = 'none'\n"
  writeFileSync(file, `${code.replace(/^import .*$/m, line => `${line}\n${setting}`)}\nexport { server }`)
  const { server } = await import(file)
  assert.match(server.url, /^ws:\/\/127\.0\.0\.1:\d+\/voice$/)
})

test('every limit, error code, frame and ending is in a table', () => {
  const codes = [...sources.matchAll(/(?:sendError\(|#refuse\(|code: )'(\w+)'/g)].map(([, code]) => code)
  const frames = [...sources.matchAll(/\{ type: '([a-z]\w+)'/g)].map(([, type]) => type)
  const causes = [.../const ENDS = \{([^]*?)\n\}/.exec(sources)[1].matchAll(/^ {2}(\w+):/gm)].map(([, cause]) => cause)
  const received = /const SHAPES = \{([^]*?)\n\}/
    .exec(sources)[1]
    .match(/^ {2}\w+(?=:)/gm)
    .map(name => name.trim())
  frames.push(...received)
  assert.ok(codes.length > 8 && frames.length > 20 && causes.length === 9 && received.length === 11, `${received}`)
  const missing = [...Object.keys(DEFAULT_LIMITS), ...codes, ...frames, ...causes].filter(name => !documented.has(name))
  assert.deepEqual([...new Set(missing)], [])
})

test('the types of frames are those of the tables', () => {
  const types = readFileSync(at('../frames.d.ts'), 'utf8')
  const typed = new Set([...types.matchAll(/\btype: '(\w+)'/g)].map(([, name]) => name))
  const section = readme.slice(readme.indexOf('### Frames'), readme.indexOf('### Errors'))
  const listed = [...section.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => [...cell.matchAll(/`(\w+)`/g)])
  assert.deepEqual([...typed].toSorted(), [...new Set(listed.map(([, name]) => name))].toSorted())
  const codes = /type ErrorCode =([^]*?)\n\n/.exec(types)[1].matchAll(/'(\w+)'/g)
  for (const [, code] of codes) assert.ok(documented.has(code), code)
})
