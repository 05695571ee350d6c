// The built app in another folder: it must contain the native addon, tools, prompts and handlers.
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Browser } from './browser.mjs'
import { simulate } from './simulator.mjs'
import { WEB, startWeb } from './web-server.mjs'

const NEXT = join(WEB, 'node_modules/next/dist/bin/next')

describe('the built app', () => {
  test('answers from a copy of the standalone folder, started elsewhere', async t => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-standalone-'))
    t.after(() => rm(folder, { recursive: true, maxRetries: 3 }))
    await cp(join(WEB, '.next/standalone'), folder, { recursive: true, verbatimSymlinks: true })
    const { env } = await simulate(t)
    const web = await startWeb(t, { env, command: () => [join(folder, 'server.js')] })
    await assertAnswers(web, folder)
  })

  test('answers under `next start <dir>` from another folder', async t => {
    const { env } = await simulate(t)
    const web = await startWeb(t, { env, command: port => [NEXT, 'start', WEB, '-H', '127.0.0.1', '-p', String(port)] })
    await assertAnswers(web, WEB)
  })
})

async function assertAnswers(web, folder) {
  const health = await (await fetch(`${web.url}/api/healthz`)).json()
  assert.equal(health.ok, true, web.log())
  const turn = await new Browser(web.url).say('What is our process for onboarding?')
  assert.equal(turn.status, 200, web.log())
  const [answer] = turn.answers
  assert.equal(answer.ok, true, JSON.stringify(answer))
  assert.equal(answer.meta.registryVersion, health.toolsVersion)
  assert.ok(turn.text.includes(`[${answer.data.results[0].id}]`), turn.text)
  await assertPageIsWhole(web)
  await assertAddonFrom(folder, web.pid)
}

/** The page's own scripts and styles are served too. */
async function assertPageIsWhole(web) {
  const page = await (await fetch(web.url)).text()
  const files = [...page.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g)].map(([, path]) => path)
  assert.ok(files.length > 2, page)
  for (const file of new Set(files)) assert.equal((await fetch(web.url + file)).status, 200, file)
}

/** The addon that the process has loaded, by the kernel's memory map. Linux only. */
async function assertAddonFrom(folder, pid) {
  if (process.platform !== 'linux') return
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8')
  // After five columns; the folder may be named `toolgate`, or have a space.
  const paths = maps.split('\n').map(line => /^(?:\S+\s+){5}(\/.*)$/.exec(line)?.[1] ?? '')
  const addons = new Set(paths.filter(file => /\/toolgate\.[^/]+\.node$/.test(file)))
  assert.equal(addons.size, 1, [...addons].join())
  const [addon] = addons
  assert.ok(addon.startsWith(await realpath(folder)), addon)
}
