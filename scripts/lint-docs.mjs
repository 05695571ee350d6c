// `npm run lint:docs`: the pages. Prints each problem and exits 1 if there is one.
//
// 1. Links: the file or folder is there, a heading has the anchor, and a page of a package links to nothing outside of it.
// 2. Code: each block parses, and a test names each page with JavaScript, except those of `ONLY_PARSED`.
// 3. The README has at most `README_WORDS` words.
// 4. No sentence has a turn of phrase of `PHRASES`. Records (the changelog, decisions) are exempt from it.
// 5. No sentence of a page for users has more than `SENTENCE_WORDS` words, code blocks and tables aside.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { load as loadYaml } from 'js-yaml'
import { lexer, walkTokens } from 'marked'
import { transform } from 'oxc-transform'

import { packedFiles } from './packed-files.mjs'
import { root } from './run-step.mjs'

const README_WORDS = 900
const SENTENCE_WORDS = 35

/** Pages whose code are pieces of a program, which a test can't run alone. */
const ONLY_PARSED = new Set([
  'docs/background.md',
  'docs/repair.md',
  'docs/stores.md',
  'tools/OBSERVABILITY.md',
  'voice-server/README.md',
  'web/README.md',
])

/** Pages that show code with faults: `cargo test --test compile pages` runs it. */
const SHOWS_FAULTS = new Set(['docs/diagnostics.md'])

/** What reads as translated, with what to write instead. A blank stands for any white space. */
export const PHRASES = [
  ['of which', 'put the subject first, in a separate sentence'],
  ['anew', 'again'],
  ['meanwhile', 'while …, in the meantime'],
  ['(?:goes|go|went|going) on(?! (?:the|a|to)\\b)', 'continue'],
  ['(?:what|that|which|it|they|results?) (?:is|are) there', 'exist, is available, arrives'],
  ['an? \\w+ of (?:its|their) own', 'separate, its own …'],
  ['as (?:it|they) (?:is|are|was|were|came)(?! (?:\\w+ed|written|sent)\\b)', 'unchanged'],
  [
    '(?<!what (?:the model|providers) )(?:is|are|was|were) told(?! (?:that|what|to|why|not|about|whether)\\b)',
    'gets, is reported',
  ],
  ['tells? of', 'mentions, reports'],
  ['(?:some|any|no|every)body', 'name who: a user, a client, a caller'],
  ['in the place of', 'instead of'],
  ['what becomes? of', 'what happens to'],
  ['(?<!there )(?:is|are) no (?!longer|more|less|such|reason|proof|problem|need)[a-z]+', 'is not a …'],
  ['by itself', 'automatically, alone'],
  ['(?:is|are|was) to be', 'must be'],
  ['where (?:there|it|they|this|nothing|none|one) (?:is|are|was|has|have|can|does)(?! \\w+ed\\b)', 'if'],
  ['so (?:long|many|few|much) an?', 'say how long, how many'],
  ['all the same', 'anyway, in any case'],
  ['in vain', 'without a result'],
  ['(?:may|can) be taken for', 'count as'],
  ['is said of', 'describes'],
  ['of yours', 'your own …'],
  ['the yes of', 'an approval by …'],
  ['what [^.,:;()]{3,60} (?:is|are) \\w+ by', 'name the subject: … is … by'],
]
const PATTERNS = PHRASES.map(([phrase, better]) => [
  new RegExp(`\\b${phrase.replaceAll(' ', '\\s+')}\\b`, 'gi'),
  better,
])
const isRecord = page => page === 'CHANGELOG.md' || page.startsWith('docs/decisions/')

/** @typedef {{ page: string, text: string, tokens: any[] }} Page */

/** A parsed page, its tokens in the order of the text. @returns {Page} */
export function readPage(page, text) {
  const tokens = []
  walkTokens(lexer(text), token => tokens.push(token))
  return { page, text, tokens }
}

/** The line of each token, for tokens in the order of the text of which none contains another. */
function lineFinder({ text }) {
  let from = 0
  let line = 1
  return ({ raw }) => {
    const [first] = raw.trimStart().split('\n')
    const found = text.indexOf(first, from)
    if (found >= 0) {
      line += text.slice(from, found).split('\n').length - 1
      from = found
    }
    return line
  }
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf({ tokens }) {
  const counts = new Map()
  return new Set(
    tokens
      .filter(({ type }) => type === 'heading')
      .map(({ text }) => {
        const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
        const slug = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-')
        const count = counts.get(slug) ?? 0
        counts.set(slug, count + 1)
        return count === 0 ? slug : `${slug}-${count}`
      }),
  )
}

/** The addresses of links, images and HTML attributes. */
function linksOf(page) {
  const lineOf = lineFinder(page)
  return page.tokens.flatMap(token => {
    const { type, href, text } = token
    if (type === 'link' || type === 'image') return [{ to: href, line: lineOf(token) }]
    const targets = type === 'html' ? [...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)] : []
    return targets.map(([, to]) => ({ to, line: lineOf(token) }))
  })
}

/**
 * @param {Page} page
 * @param {{ exists: (file: string) => boolean, anchors: (file: string) => Set<string> | null, packages: Set<string>[] }} repository
 */
export function linkProblems(page, { exists, anchors, packages }) {
  return linksOf(page).flatMap(({ to, line }) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(to)) return []
    const [file, anchor] = to.split('#')
    const target = file === '' ? page.page : path.posix.join(path.posix.dirname(page.page), decodeURI(file))
    const at = `${page.page}:${line}: the link \`${to}\``
    if (!exists(target)) return [`${at} leads to no file`]
    if (anchor && anchors(target)?.has(anchor) === false) return [`${at} leads to no heading`]
    const lacks = packages.some(
      files => files.has(page.page) && !files.has(target) && ![...files].some(one => one.startsWith(`${target}/`)),
    )
    return lacks ? [`${at} leads out of the package that has the page`] : []
  })
}

const CODE = { js: 'js', mjs: 'js', jsx: 'jsx', ts: 'ts', tsx: 'tsx' }
const TEXT = new Set(['', 'text', 'markdown', 'prometheus'])

/** Why a block of code does not parse, or null. A piece may be statements, the body of a function, or an expression. */
export async function codeProblem(language, code) {
  if (TEXT.has(language)) return null
  if (language === 'json') return failure(() => JSON.parse(code))
  if (language === 'yaml') return failure(() => loadYaml(code))
  if (language === 'sh') {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: code, encoding: 'utf8' })
    return status === 0 ? null : stderr.trim()
  }
  const lang = CODE[language]
  if (lang === undefined) return `the language \`${language}\` is not known`
  const readings = [code, `async function* piece() {\n${code}\n}`, `(${code.replace(/;?\s*$/, '')})`]
  const results = await Promise.all(readings.map(text => transform(`block.${lang}`, text, { lang })))
  return results.some(({ errors }) => errors.length === 0) ? null : results[0].errors[0].message
}

function failure(parse) {
  try {
    parse()
    return null
  } catch (error) {
    return error.message
  }
}

/** @param {Page} page */
async function codeProblems(page) {
  const lineOf = lineFinder(page)
  const blocks = SHOWS_FAULTS.has(page.page) ? [] : page.tokens.filter(isFenced)
  const problems = await Promise.all(
    blocks.map(async block => {
      const line = lineOf(block)
      const problem = await codeProblem((block.lang ?? '').split(' ')[0], block.text)
      return problem && `${page.page}:${line}: the code does not parse: ${problem}`
    }),
  )
  return problems.filter(Boolean)
}

const isFenced = ({ type, codeBlockStyle }) => type === 'code' && codeBlockStyle !== 'indented'

/** Pages with JavaScript that no test reads. @param {Page[]} pages @param {[string, string][]} tests */
export function untestedPages(pages, tests) {
  const named = tests.flatMap(([file, text]) =>
    [...text.matchAll(/(?:[\w./-]|\$\{\w+\})+\.md(?=['"`])/g)].flatMap(([name]) => [
      asPattern(path.posix.normalize(name)),
      asPattern(path.posix.join(path.posix.dirname(file), name)),
      ...(name.includes('/') ? [] : [asPattern(`docs/${name}`)]),
    ]),
  )
  return pages
    .filter(({ page, tokens }) => !isRecord(page) && !ONLY_PARSED.has(page) && tokens.some(isProgram))
    .filter(({ page }) => !named.some(pattern => pattern.test(page)))
    .map(({ page }) => `${page}: has JavaScript, and no test reads it`)
}

/** A path, or the paths that a template with variables names. */
const asPattern = name => new RegExp(`^${name.replaceAll(/[.]/g, '\\.').replaceAll(/\$\{\w+\}/g, '[^/]+')}$`)
const isProgram = ({ type, lang }) => type === 'code' && lang in CODE

/** @param {Page} page */
export function phraseProblems(page) {
  if (isRecord(page.page)) return []
  const lineOf = lineFinder(page)
  return page.tokens.flatMap(token => {
    if (token.type !== 'text' || token.tokens !== undefined) return []
    const line = lineOf(token)
    return PATTERNS.flatMap(([pattern, better]) =>
      [...token.text.matchAll(pattern)].map(({ 0: found, index }) => {
        const at = line + token.text.slice(0, index).split('\n').length - 1
        return `${page.page}:${at}: "${found.replaceAll(/\s+/g, ' ')}" (${better})`
      }),
    )
  })
}

/** Pages for users: the guides, and the READMEs of the packages. */
const isForUsers = page =>
  /^docs\/[^/]+\.md$|^docs\/frameworks\/|^(?:(?:react|simulator|tools|voice-server|web)\/)?README\.md$/.test(page)

/** A piece of code counts as one word, and so does the address of a link. @param {Page} page */
export function sentenceProblems(page) {
  if (!isForUsers(page.page)) return []
  const lineOf = lineFinder(page)
  return page.tokens.filter(isProse).flatMap(token => {
    const line = lineOf(token)
    const plain = token.text.replaceAll(/`[^`]*`/g, 'code').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    return plain.split(/(?<=[.!?][*)"]*)\s+(?=\S)/).flatMap(sentence => {
      const words = sentence.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word))
      const begin = words.slice(0, 6).join(' ')
      return words.length > SENTENCE_WORDS
        ? [`${page.page}:${line}: "${begin} …" has ${words.length} words; at most ${SENTENCE_WORDS} a sentence`]
        : []
    })
  })
}

/** Paragraphs, and the texts of tight list items. Cells of tables are tokens of neither kind. */
const isProse = ({ type, tokens }) => type === 'paragraph' || (type === 'text' && tokens !== undefined)

/** @returns {string[]} */
export function lengthProblems(readme) {
  const words = readme.split(/\s+/).filter(Boolean).length
  return words > README_WORDS ? [`README.md: ${words} words; at most ${README_WORDS}`] : []
}

const tracked = () =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(file => file !== '' && existsSync(path.join(root, file)))

/** Pages for people: no guide of a tool, no prompt, no fixture. */
const isPage = file =>
  file.endsWith('.md') && !/(^|\/)(guide|doc|doc_summary)\.md$|^prompts\/|(^|\/)(fixtures|test)\//.test(file)

async function main() {
  const files = tracked()
  const read = file => readFileSync(path.join(root, file), 'utf8')
  const pages = files.filter(isPage).map(file => readPage(file, read(file)))
  const byName = new Map(pages.map(page => [page.page, page]))
  const repository = {
    exists: target => existsSync(path.join(root, target)),
    anchors: target => (byName.has(target) ? anchorsOf(byName.get(target)) : null),
    packages: ['.', 'voice-server', 'simulator'].map(
      folder => new Set(packedFiles(path.join(root, folder)).map(file => path.posix.join(folder, file))),
    ),
  }
  const tests = files.filter(file => /\.test\.[cm]?js$|__test__\//.test(file) && /\.[cm]?js$/.test(file))
  const problems = [
    ...pages.flatMap(page => linkProblems(page, repository)),
    ...(await Promise.all(pages.map(codeProblems))).flat(),
    ...untestedPages(
      pages,
      tests.map(file => [file, read(file)]),
    ),
    ...pages.flatMap(phraseProblems),
    ...pages.flatMap(sentenceProblems),
    ...lengthProblems(read('README.md')),
  ]
  for (const problem of problems) console.log(problem)
  console.log(problems.length === 0 ? 'pages: no problem' : `pages: ${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
