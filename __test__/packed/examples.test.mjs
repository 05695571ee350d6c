// Each example, from the packed packages: what its start command prints.
import { cp, readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { EXAMPLES, PLAYED_EXAMPLES, installFrameworks } from './install-frameworks.mjs'
import { createProject, packPackage } from './project.mjs'

const MOST_LINES = 100

const ORDERS = answer => `user: When does order A-17 arrive?
agent: It arrives on Friday.
user: Please cancel A-17.
Cancel the order A-17? (y/n)
agent: ${answer}
`
const PRINTED = [
  ...['openai-agents', 'langgraph', 'mastra', 'adk', 'genkit', 'livekit'].flatMap(name => [
    [name, 'y', ORDERS('A-17 is cancelled.')],
    [name, 'n', ORDERS('Nothing was cancelled.')],
  ]),
  [
    'voice-gemini',
    '',
    `user: When does order A-17 arrive?
tool: find_order {"number":"A-17","arrives":"on Friday"}
agent: It arrives on Friday.
`,
  ],
  ...[
    ['y', '{"cancelled":"A-17"}'],
    ['n', 'the user has denied it'],
  ].map(([input, result]) => [
    'confirmation-link',
    input,
    `model: CONFIRMATION_REQUIRED
messenger: Cancel the order A-17? (y/n)
model: ${result}
`,
  ]),
  [
    'express-mcp',
    '',
    `tools: cancel_order, find_order
find_order: {"number":"A-17","arrives":"on Friday"}
find_order: VALIDATION
question: Cancel the order A-17
cancel_order: {"cancelled":"A-17"}
`,
  ],
]
if (hasRedis)
  PRINTED.push([
    'bullmq',
    '',
    `model: {"status":"running","callId":"call_1a2b3c4d5e"}
worker: reports/2026-10.pdf is rendered
model: {"file":"reports/2026-10.pdf"}
`,
  ])
const NAMES = [...new Set(PRINTED.map(([name]) => name))]

let packed
let project

beforeAll(async () => {
  packed = [await packPackage(), await packPackage(['-w', 'toolgate-simulator'])]
  const [{ tarball }, simulator] = packed
  project = await createProject({
    tarball,
    dependencies: { zod: '^4.0.0', 'toolgate-simulator': `file:${simulator.tarball}` },
    place: await installFrameworks(),
  })
  for (const name of NAMES) await cp(path.join(EXAMPLES, name), path.join(project.folder, name), { recursive: true })
}, 1_200_000)

afterAll(async () => {
  await project?.remove()
  for (const one of packed ?? []) await one.remove()
})

test.each(PRINTED)('%s, answered with %j', async (name, input, printed) => {
  const redis = name === 'bullmq' ? await RedisServer.start() : null
  const stdout = await project.run('sh', ['-c', `echo ${input} | npm start --silent`], {
    cwd: path.join(project.folder, name),
    env: { OPENAI_API_KEY: '', GEMINI_API_KEY: '', ...(redis && { REDIS_URL: redis.url }) },
  })
  expect(stdout.replace(/^built 2? ?.*\n/, '')).toBe(printed)
})

test('each example is played', () =>
  expect([...NAMES].sort()).toEqual(PLAYED_EXAMPLES.filter(name => hasRedis || name !== 'bullmq').sort()))

test.each(NAMES)('%s has less than 100 lines of its own code', async name => {
  const files = await readdir(path.join(EXAMPLES, name), { recursive: true })
  const code = files.filter(file => /\.(m?js|jsx|tsx?)$/.test(file))
  const texts = await Promise.all(code.map(file => readFile(path.join(EXAMPLES, name, file), 'utf8')))
  expect(texts.join('').split('\n').length).toBeLessThan(MOST_LINES)
})
