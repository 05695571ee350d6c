// The two programs, in each framework: what was refunded, and what the caller heard. It needs no key.
// `node main.mjs [framework...] [--json]`, a framework by the name of its file.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startPayments } from './payments.mjs'

const FRAMEWORKS = [
  ['AI SDK', 'ai-sdk', 'ai'],
  ['AI SDK, approvals signed', 'ai-sdk', 'ai', { SIGNED: '1' }],
  ['OpenAI Agents SDK', 'openai-agents', '@openai/agents'],
  ['LangGraph', 'langgraph', '@langchain/langgraph'],
  ['LangGraph, replies by interrupt id', 'langgraph', '@langchain/langgraph', { BY_ID: '1' }],
  ['Mastra', 'mastra', '@mastra/core'],
  ['Toolgate', 'toolgate', 'toolgate'],
]
const ARGS = { order: 'A-17', amount: 40 }
const first = { id: 'call_refund_0001', args: ARGS }
const second = { id: 'call_refund_0002', args: ARGS }
const bigger = { id: 'call_refund_0003', args: { ...ARGS, amount: 400 } }

/** Steps of each program: its name, the model's call, and whether the process is killed. The last one is what is heard. */
const CRASH = [
  ['start', first],
  ['approve', undefined, true],
]
const PROGRAMS = {
  resumed: [...CRASH, ['resume']],
  'resumed, call id as key': [...CRASH, ['resume']],
  're-planned': [...CRASH, ['start', second], ['approve', undefined, false, 'asked']],
  're-planned, call id as key': [...CRASH, ['start', second], ['approve', undefined, false, 'asked']],
  'other arguments': [['start', first], ['approveOther']],
  'another call': [
    ['start', first],
    ['approveAgain', bigger],
  ],
}

const brief = heard => (typeof heard === 'string' ? heard : JSON.stringify(heard)).replaceAll('|', '\\|').slice(0, 110)

const only = process.argv.slice(2).filter(word => !word.startsWith('-'))
const isJson = process.argv.includes('--json')
const rows = []
const isWanted = ([, framework]) => only.length === 0 || only.includes(framework)
for (const [title, framework, packageName, env = {}] of FRAMEWORKS.filter(isWanted)) {
  const all = Object.keys(PROGRAMS).map(program => play({ title, framework, packageName, env, program }))
  rows.push(...(await Promise.all(all)))
}
if (isJson) console.log(JSON.stringify(rows))
else console.log(table(rows))

async function play({ title, framework, packageName, env, program }) {
  const state = await mkdtemp(path.join(tmpdir(), 'experiment-'))
  const payments = await startPayments()
  const keyed = program.endsWith('key') ? { KEYED: '1' } : {}
  let heard
  try {
    for (const [step, call, isKilled = false, onlyAfter] of PROGRAMS[program]) {
      if (onlyAfter && heard !== onlyAfter && heard !== 'CONFIRMATION_REQUIRED') continue
      payments.killNext = isKilled
      const given = {
        PAYMENTS: payments.url,
        STATE: state,
        ...(call && { CALL: JSON.stringify(call) }),
        ...keyed,
        ...env,
      }
      const { signal, stdout, stderr } = await run([framework, step], given)
      if (isKilled !== (signal === 'SIGKILL'))
        throw new Error(`${title}, ${program}, ${step}: ${signal}\n${stdout}${stderr}`)
      if (!isKilled) heard = JSON.parse(stdout.trim().split('\n').at(-1))
    }
  } finally {
    payments.close()
    await rm(state, { recursive: true, force: true })
  }
  const refunds = payments.ledger.map(({ amount }) => amount)
  return { framework: title, version: await versionOf(packageName), program, refunds, heard }
}

/** A program in a process of its own. */
function run(words, env) {
  const options = { env: { ...process.env, MASTRA_TELEMETRY_DISABLED: '1', ...env }, timeout: 60_000 }
  return new Promise(resolve =>
    execFile(process.execPath, ['program.mjs', ...words], options, (error, stdout, stderr) =>
      resolve({ signal: error?.signal ?? null, stdout, stderr }),
    ),
  )
}

async function versionOf(name) {
  let folder = import.meta.dirname
  for (;;) {
    const text = await readFile(path.join(folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => null)
    if (text) return JSON.parse(text).version
    if (folder === path.dirname(folder)) return '?'
    folder = path.dirname(folder)
  }
}

function table(all) {
  const lines = all.map(({ framework, version, program, refunds, heard }) => {
    const made = refunds.length === 0 ? 'none' : refunds.join(' + ')
    return `| ${framework} ${version} | ${program} | ${made} | ${brief(heard)} |`
  })
  return ['| framework | program | refunds made, EUR | what the caller heard |', '|---|---|---|---|', ...lines].join(
    '\n',
  )
}
