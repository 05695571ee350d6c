// What strangers cost others: a user who asks again and again has this p99, alone and beside each kind of flood, on the routes of an
// agent's page and on the voice server. Servers, strangers and the neighbour are a process each.
//
//   node bench/neighbours/run.mjs [--seconds 4] [--json]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'

import { percentile } from '../statistics.mjs'

const EVERY_MS = 10
const WARM_UP_MS = 500
const json = { 'content-type': 'application/json' }

/** Starts a process of the benchmark. @returns what it says first, and its end */
async function start(file) {
  const child = fork(new URL(file, import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [said] = await once(child, 'message')
  const stop = async () => {
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  }
  return { child, said, stop }
}

/** @param {() => Promise<boolean>} ask resolves with whether it was answered @param {number} ms @returns {Promise<{ p50: number, p99: number, refused: number }>} */
async function neighbour(ask, ms) {
  const waits = []
  let refused = 0
  for (const until = performance.now() + ms; performance.now() < until; await sleep(EVERY_MS)) {
    const from = performance.now()
    if (!(await ask())) refused += 1
    waits.push(performance.now() - from)
  }
  const rounded = share => Math.round(percentile(waits, share) * 10) / 10
  return { p50: rounded(0.5), p99: rounded(0.99), refused }
}

/** A user of the page, whose tool reads. */
async function userOfPage({ url }) {
  const address = path => `${url}/api/agent/${path}`
  const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hello' }] }]
  const first = await fetch(address('chat'), { method: 'POST', headers: json, body: JSON.stringify({ messages }) })
  await first.text()
  const cookie = first.headers.getSetCookie()[0].split(';')[0]
  return async () => {
    const asked = { method: 'POST', headers: { ...json, cookie }, body: '{"word":"gate"}' }
    const answer = await fetch(address('tools/look'), asked)
    await answer.text()
    return answer.status === 200
  }
}

/** A user in a voice call. */
async function userOfVoice({ voiceUrl }) {
  const socket = new WebSocket(voiceUrl)
  await once(socket, 'open')
  const started = once(socket, 'message')
  socket.send('{"type":"start"}')
  await started
  return async () => {
    const answered = once(socket, 'pong')
    socket.ping()
    await answered
    return true
  }
}

async function measure(server, floods, user, ms) {
  const ask = await user(server)
  await neighbour(ask, WARM_UP_MS)
  const rows = { alone: await neighbour(ask, ms) }
  for (const name of floods) {
    const strangers = await start('strangers.mjs')
    strangers.child.send({ ...server, name })
    await once(strangers.child, 'message')
    rows[name] = await neighbour(ask, ms)
    await strangers.stop()
  }
  return rows
}

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '4' }, json: { type: 'boolean' } } })
const seconds = Number(values.seconds)
if (!(seconds > 0 && seconds <= 60)) throw new Error('--seconds must be a number up to 60')
const servers = await start('servers.mjs')
try {
  const kinds = await start('strangers.mjs')
  await kinds.stop()
  const ms = seconds * 1000
  const result = {
    'routes of a page': await measure(servers.said, kinds.said.routes, userOfPage, ms),
    'voice server': await measure(servers.said, kinds.said.voice, userOfVoice, ms),
  }
  if (values.json) console.log(JSON.stringify(result))
  else for (const [endpoint, rows] of Object.entries(result)) print(endpoint, rows)
} finally {
  await servers.stop()
}
process.exit(0)

function print(endpoint, rows) {
  console.log(`\n${endpoint}: what a neighbour waits, in milliseconds, and of how many requests it was refused`)
  for (const [name, { p50, p99, refused }] of Object.entries(rows)) {
    const times = p99 / rows.alone.p99
    console.log(
      `  ${name.padEnd(28)} p50 ${String(p50).padStart(6)}  p99 ${String(p99).padStart(6)}  ×${times.toFixed(1)}  refused ${refused}`,
    )
  }
}
