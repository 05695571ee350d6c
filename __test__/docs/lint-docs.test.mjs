// The checks of `npm run lint:docs`, on pages of the test.
import {
  anchorsOf,
  codeProblem,
  lengthProblems,
  linkProblems,
  phraseProblems,
  readPage,
  sentenceProblems,
  untestedPages,
} from '../../scripts/lint-docs.mjs'

const page = (text, name = 'docs/trains.md') => readPage(name, text)

describe('links', () => {
  const other = page('# Trains\n\n## The `night` train: 2 beds\n\n## Fares\n\n## Fares\n')
  const repository = {
    exists: file => ['docs/trains.md', 'docs/fares.md', 'docs', 'LICENSE', 'docs/a.svg'].includes(file),
    anchors: file => (file === 'docs/fares.md' ? anchorsOf(other) : null),
    packages: [new Set(['docs/trains.md', 'docs/fares.md', 'docs/a.svg'])],
  }
  const problems = text => linkProblems(page(text), repository)

  test('headings have the anchors of GitHub', () => {
    expect([...anchorsOf(other)]).toEqual(['trains', 'the-night-train-2-beds', 'fares', 'fares-1'])
  })

  test.each([
    '[a](fares.md)',
    '[a](fares.md#fares-1)',
    '[a](../docs/fares.md#the-night-train-2-beds)',
    '[a](https://example.org/x.md)',
    '`[a](gone.md)`',
    '```md\n[a](gone.md)\n```',
    '<img src="a.svg">',
  ])('%j is fine', text => {
    expect(problems(`# T\n\n${text}\n`)).toEqual([])
  })

  test.each([
    ['[a](gone.md)', 'no file'],
    ['| a |\n|---|\n| ![a](gone.svg) |', 'no file'],
    ['<img src="gone.svg">', 'no file'],
    ['[a](fares.md#prices)', 'no heading'],
    ['[a][b]\n\n[b]: ../LICENSE', 'out of the package'],
  ])('%j leads nowhere', (text, why) => {
    const [problem, ...others] = problems(`# T\n\nwords\n\n${text}\n`)
    expect(problem).toContain(why)
    expect(problem).toMatch(/^docs\/trains\.md:[57]: /)
    expect(others).toEqual([])
  })
})

test.each([
  ['js', "import a from 'b'\nawait a()"],
  ['js', '{ ok: true, meta: { pending: true, /* … */ } }'],
  ['js', 'if (done) return 1\nyield 2'],
  ['jsx', 'export default () => <p>{1}</p>'],
  ['ts', 'const a: number = 1'],
  ['json', '{ "a": [1] }'],
  ['yaml', 'a: [1]\nb: 2'],
  ['sh', 'A=1 npm run b # c'],
  ['text', '('],
])('%s parses: %j', async (language, code) => {
  expect(await codeProblem(language, code)).toBeNull()
})

test.each([
  ['js', 'const = 1'],
  ['js', 'const a: number = 1'],
  ['ts', 'let a: = 1'],
  ['json', "{ 'a': 1 }"],
  ['yaml', 'a: [1'],
  ['sh', 'if true; then'],
  ['klingon', 'Qapla'],
])('%s does not parse: %j', async (language, code) => {
  expect(await codeProblem(language, code)).toEqual(expect.any(String))
})

test('a page with code must be read by a test', () => {
  const pages = ['docs/a.md', 'docs/b.md', 'docs/boats/c.md', 'boat/README.md'].map(name =>
    page('```js\n1\n```\n', name),
  )
  const tests = [
    ['__test__/docs/a.test.mjs', "read('a.md')"],
    ['__test__/docs/boats.test.mjs', 'read(`docs/boats/${boat}.md`)'],
    ['boat/test/readme.test.mjs', "new URL('../README.md', import.meta.url)"],
  ]
  expect(untestedPages([...pages, page('words', 'docs/c.md')], tests)).toEqual([
    'docs/b.md: has JavaScript, and no test reads it',
  ])
})

test.each([
  ['The server goes\non without it.', '3: "goes on" (continue)'],
  ['- Sessions begin **anew**.', '3: "anew" (again)'],
  ['| a |\n|---|\n| a process of its own |', '5: "a process of its own" (separate, its own …)'],
  ['A page of yours shows it.', '3: "of yours" (your own …)'],
  ['The yes of a manager\ncounts.', '3: "The yes of" (an approval by …)'],
  [
    'Then what the model\nsaid is checked by it.',
    '3: "what the model said is checked by" (name the subject: … is … by)',
  ],
])('%j is a turn of phrase', (text, problem) => {
  expect(phraseProblems(page(`# T\n\n${text}\n`))).toEqual([`docs/trains.md:${problem}`])
})

test.each([
  ['`anew` is a member'],
  ['```js\n// anew\n```'],
  ['The token of its own question goes on the card.'],
  ['There is no order with it, as it is written.'],
])('%j is fine', text => {
  expect(phraseProblems(page(`# T\n\n${text}\n`))).toEqual([])
})

const words = count => Array.from({ length: count }, (_, n) => `word${n}`).join(' ')

test.each([
  [`${words(35)}.`],
  [`${words(30)}. ${words(30)}.`],
  [`${words(20)} (${words(10)}.) ${words(30)}.`],
  [`- ${words(30)}\n- ${words(30)}`],
  [`${words(34)} [a](../a%20b.md) – .`],
  [`${words(34)} \`a. b c d\`.`],
  [`| a |\n|---|\n| ${words(40)} |`],
  [`\`\`\`text\n${words(40)}\n\`\`\``],
])('%j has no long sentence', text => {
  expect(sentenceProblems(page(`# T\n\n${text}\n`))).toEqual([])
})

test.each([
  [`${words(36)}.`, 3],
  [`Short.\n\n- Short. ${words(20)}\n  ${words(16)}.`, 5],
  [`- Loose.\n\n- ${words(36)}`, 5],
  [`**Bold**: ${words(35)}`, 3],
])('%j has a long sentence', (text, line) => {
  const problems = sentenceProblems(page(`# T\n\n${text}\n`))
  expect(problems).toEqual([expect.stringContaining(`docs/trains.md:${line}: `)])
  expect(problems[0]).toContain('has 36 words')
})

test('pages that are not for users may have long sentences', () => {
  for (const name of ['CHANGELOG.md', 'docs/decisions/001-a.md', 'bench/README.md'])
    expect(sentenceProblems(page(`${words(36)}.`, name))).toEqual([])
  for (const name of ['README.md', 'tools/README.md', 'docs/frameworks/a.md'])
    expect(sentenceProblems(page(`${words(36)}.`, name))).toHaveLength(1)
})

test('records keep their words, and the README is short', () => {
  expect(phraseProblems(page('Sessions begin anew.', 'CHANGELOG.md'))).toEqual([])
  expect(lengthProblems('word '.repeat(900))).toEqual([])
  expect(lengthProblems('word '.repeat(901))).toEqual(['README.md: 901 words; at most 900'])
})
