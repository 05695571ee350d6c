// A rolling upgrade: processes of the next version of the package, with other tools, replace those of this one, one by one.
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

import { PostgresServer, hasPostgres } from '../support/postgres-server.mjs'
import { RedisServer, hasRedis } from '../support/redis-server.mjs'
import { temporaryFolder, toolSet } from '../support/tool-set.mjs'
import { judge, judgeComplete } from './judge.mjs'
import { Stage, callIds, seeded } from './stage.mjs'

const PROCESSES = 3
const CALLS = 1000
/** In development a session ends with the tools that it began with. */
const PRODUCTION = { NODE_ENV: 'production' }

const STORES = {
  file: { isHere: true, open: async stage => ({ file: stage.file('sessions.sqlite') }) },
  Redis: { isHere: hasRedis, open: async () => ({ redis: (await RedisServer.start()).url }) },
  Postgres: { isHere: hasPostgres, open: async () => ({ postgres: (await PostgresServer.start()).url }) },
}

/** A copy of the package with the next version, as the URL of its folder. The addon is this one under the next version. */
function nextVersion() {
  const folder = temporaryFolder()
  const root = path.resolve('.')
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const addon = /^toolgate\..*\.node$/
  const isPart = file => ['index.js', 'native.js', 'js'].includes(file) || addon.test(file)
  const top = file => path.relative(root, file).split(path.sep)[0]
  cpSync(root, folder, { recursive: true, filter: file => file === root || isPart(top(file)) })
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '0.2.0' }))
  renameSync(path.join(folder, 'native.js'), path.join(folder, 'native-0.1.js'))
  const native = "module.exports = { ...require('./native-0.1.js'), addonVersion: () => '0.2.0' }\n"
  writeFileSync(path.join(folder, 'native.js'), native)
  return pathToFileURL(`${folder}${path.sep}`).href
}

/** The tools of the next version: one is new, so that the version of the set is another one. */
async function nextTools() {
  const { artifact } = await toolSet({
    pay: { kind: 'write', properties: { id: { type: 'string' } }, required: ['id'] },
    look: { kind: 'read' },
  })
  return artifact
}

describe.each(Object.entries(STORES))('%s store', (kind, { isHere, open }) => {
  const check = isHere ? test : test.skip
  check(
    `${CALLS} calls during an upgrade of ${PROCESSES} processes: each write runs once, each caller gets one answer`,
    async () => {
      const random = seeded(`upgrade on ${kind}`)
      const stage = await Stage.open()
      const orders = { store: await open(stage), sessionId: 'upgrade', ids: callIds(0, CALLS), patient: true }
      const next = { ...orders, package: nextVersion(), artifact: await nextTools() }
      const workers = Array.from({ length: PROCESSES }, () => stage.start(orders, PRODUCTION))
      await Promise.all(workers.map(worker => worker.ready))
      const seen = {}
      for (const old of [...workers]) {
        const started = stage.start(next, PRODUCTION)
        workers.push(started)
        await started.ready
        await sleep(random.below(200))
        old.child.kill('SIGTERM')
        expect(await old.ended).toEqual({ code: 0, signal: null })
      }
      for (const worker of workers.slice(PROCESSES)) {
        expect({ ...(await worker.ended), stderr: worker.stderr }).toEqual({ code: 0, signal: null, stderr: '' })
        judgeComplete(worker, orders.ids)
      }
      judge({ ids: orders.ids, workers, paid: stage.paid(), seen, isForgettable: true })
      console.log(`upgrade on ${kind}: ${JSON.stringify(seen)}`)
      expect([...stage.paid().keys()].sort()).toEqual(orders.ids)
      // Some were done by the old version before the new one was there.
      expect(workers[0].answers.length).toBeGreaterThan(0)
      expect(seen.replayed).toBeGreaterThan(0)
    },
  )
})
