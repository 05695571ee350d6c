// `npm run lint:names`: one name, one type, and plain words in comments. Prints each violation and exits 1 if there is one.
//
// Checks four rules over the tracked sources (tests are exempt from rules 1 and 4):
//
// 1. No two Rust types of the workspace have the same name, and no function is called `of`.
// 2. No comment contains a word of `FORBIDDEN`. `ALLOWED` lists the exceptions.
// 3. No path is read off the URL of a file: a space or an umlaut in it is escaped.
// 4. No two files, and no two types, of a JavaScript part have the same name.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { repeatedNames } from './repeated-names.mjs'
import { root } from './run-step.mjs'

/** Words that a comment replaces by the standard term, with that term. */
export const FORBIDDEN = [
  [/\b(?:tell|tells|told|untold)\b/i, 'reports, returns, notifies, distinguishes'],
  [/\b(?:nobody|anybody|somebody)\b/i, 'name the component'],
  [/\bnone of (?:its|their) business\b/i, 'does not depend on'],
  [
    /\bwhere (?:there (?:is|are|was)|it (?:is|has|can|does|was)|they (?:are|have|can)|one (?:is|has)|none|nothing)\b/i,
    'if',
  ],
  [/\b(?:rungs?|ladders?)\b/i, 'stage'],
  [/\b(?:letters?) (?:of|for|to) (?:the )?(?:core|javascript|host)\b/i, 'message'],
  [/\bknows? nobody\b/i, 'has no dependencies'],
  [/\bin vain\b/i, 'without a result'],
]

/** Exceptions to rule 2: a file and a phrase. */
const ALLOWED = [
  // `where` is a place here.
  ['tests/compile/gemini_schema.rs', 'quoted where it is checked'],
  ['__test__/authoring/schema-modules.test.mjs', 'without where they are'],
  ['bench/js-gateway/ways.mjs', 'where it is due'],
  ['bench/tool-set.mjs', 'where they are'],
  ['tools/_services/knowledge-record.js', 'where it was written down'],
]

/** Exceptions to rule 1: the same name in a place where the type cannot be confused. */
const ALLOWED_TYPES = new Set([])

const RUST_TYPE = /^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union|type) ([A-Z]\w*)/
const isTest = file => /(^|\/)(tests?|__test__|fixtures|bench)(\/|\.rs$)/.test(file)

/** The tracked files with one of these endings, as paths from the root. */
function tracked(...endings) {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  return list.split('\0').filter(file => endings.some(ending => file.endsWith(ending)))
}

const read = file => {
  try {
    return readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return '' // Deleted, and not committed yet.
    throw error
  }
}

/** A module of unit tests: a line, or a block that ends with a brace at the start of a line. */
const TEST_MODULE = /^#\[cfg\(test\)\]\n(?:#\[[^\n]*\n)*(?:pub(?:\([^)]*\))? )?mod \w+(?:;| \{\n[^]*?^\})$/gm

/** Rust source without its unit tests, whose lines stay as empty ones. */
const withoutTests = text => text.replaceAll(TEST_MODULE, tests => tests.replaceAll(/[^\n]/g, ''))

/** Types that are declared more than once, and functions called `of`. */
export function nameProblems(sources) {
  const places = new Map()
  const problems = []
  for (const [file, text] of sources) {
    withoutTests(text)
      .split('\n')
      .forEach((line, index) => {
        const type = RUST_TYPE.exec(line)?.[1]
        if (type && !ALLOWED_TYPES.has(type)) places.set(type, [...(places.get(type) ?? []), `${file}:${index + 1}`])
        if (/\bfn of\b/.test(line)) problems.push(`${file}:${index + 1}: a function called \`of\`: name what it does`)
      })
  }
  for (const [type, where] of places) {
    if (where.length > 1) problems.push(`\`${type}\` names ${where.length} types: ${where.join(', ')}`)
  }
  return problems
}

/** The comment of a line, or `undefined`. */
function commentOf(line, isRust) {
  const trimmed = line.trimStart()
  if (trimmed.startsWith('//')) return trimmed
  if (!isRust && /^(?:\/\*\*?|\*)(?: |$)/.test(trimmed)) return trimmed
  return / \/\/ (.*)$/.exec(line)?.[0]
}

/** Forbidden words in comments. */
export function wordProblems(sources) {
  return sources.flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => {
      const comment = commentOf(line, file.endsWith('.rs'))
      if (comment === undefined || ALLOWED.some(([where, phrase]) => file === where && comment.includes(phrase)))
        return []
      const prose = comment.replaceAll(/`[^`]*`|"[^"]*"/g, '')
      return FORBIDDEN.filter(([word]) => word.test(prose)).map(
        ([word, instead]) => `${file}:${index + 1}: "${word.exec(prose)[0]}" (${instead}): ${comment.slice(0, 100)}`,
      )
    }),
  )
}

/** Paths that are wrong in a folder whose name has a space. */
export function pathProblems(sources) {
  return sources.flatMap(([file, text]) =>
    [...text.matchAll(/import\.meta\.url\)\.pathname/g)].map(
      ({ index }) =>
        `${file}:${text.slice(0, index).split('\n').length}: use \`fileURLToPath\` instead of \`.pathname\``,
    ),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const load = files => files.map(file => [file, read(file)])
  const rust = tracked('.rs')
  const code = [...rust, ...tracked('.js', '.mjs', '.cjs', '.ts', '.tsx')].filter(
    file => !/(^|\/)(fixtures|native\.)/.test(file) && file !== 'scripts/lint-names.mjs',
  )
  const sources = load(code)
  const names = nameProblems(load(rust.filter(file => !isTest(file))))
  const shipped = sources.filter(([file]) => !file.endsWith('.rs') && !isTest(file))
  const problems = [...names, ...wordProblems(sources), ...pathProblems(sources), ...repeatedNames(shipped)]
  for (const problem of problems) console.log(problem)
  console.log(problems.length === 0 ? 'names and words: no problem' : `names and words: ${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
