// The worker, a process of its own: it does the work, and ends the call.
import { Worker } from 'bullmq'
import { createRegistry, success } from 'toolgate'

import { connection, store } from './store.mjs'

// The worker makes no calls: it only needs the tool set, to check the result.
const registry = await createRegistry({ audit: 'none', store, services: { queue: {} } }).load()

async function render({ data: { month, token } }) {
  const file = `reports/${month}.pdf`
  console.log(`worker: ${file} is rendered`)
  await registry.complete(token, success({ file }))
}

const worker = new Worker('reports', render, { connection })
process.on('message', async () => {
  await worker.close()
  await registry.close()
  process.disconnect()
})
