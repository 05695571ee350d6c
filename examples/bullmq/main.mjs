// The agent's process: a call that a BullMQ worker ends in another process. `REDIS_URL` names the server.
import { fork } from 'node:child_process'
import { Queue } from 'bullmq'
import { createRegistry } from 'toolgate'

import { connection, store } from './store.mjs'

const queue = new Queue('reports', { connection })
const registry = await createRegistry({ audit: 'none', store, services: { queue } }).load()
const session = await registry.createSession({ mode: 'text' })
const results = session.results()
// The first request says that this host delivers results: from now on the call is answered at once.
const next = results.next()

const answer = await session.execute({ id: 'call_1a2b3c4d5e', name: 'render_report', args: { month: '2026-10' } })
console.log(`model: ${JSON.stringify(answer.data)}`)

const worker = fork('./worker.mjs')
const { value: result } = await next
console.log(`model: ${JSON.stringify(result.response.data)}`)
await result.accept()

worker.send('stop')
await session.end()
await registry.close()
await queue.close()
