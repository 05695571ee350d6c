// `next dev`: an edit is applied while sessions continue, with the one registry that the process loaded. Runs on a copy
// of the app, so that the working tree stays unchanged.
import assert from 'node:assert/strict'
import { cp, link, mkdir, mkdtemp, readFile, readdir, rm, symlink, readlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Browser } from './browser.mjs'
import { simulate } from './simulator.mjs'
import { WEB, startWeb } from './web-server.mjs'

const MADE = ['.next', 'node_modules', 'test', 'tsconfig.tsbuildinfo']
const RELOAD_LIMIT_MS = 240_000

describe('the app in development', () => {
  test('an edit loads no second registry, and sessions go on', async t => {
    const folder = await copyOfApp(t)
    const audit = join(folder, 'audit.jsonl')
    const { env } = await simulate(t)
    const next = join(folder, 'node_modules/next/dist/bin/next')
    const web = await startWeb(t, {
      cwd: folder,
      env: { ...env, NODE_ENV: 'development', TOOLGATE_AUDIT: audit },
      command: port => [next, 'dev', '-H', '127.0.0.1', '-p', String(port)],
    })
    const browser = new Browser(web.url)
    assert.equal(await turnOf(browser, web), 1)

    await edit(join(folder, 'lib/gate.ts'), text => `${text}\nexport const edited = true\n`)
    const route = join(folder, 'app/api/healthz/route.ts')
    await edit(route, text => text.replace('await probes.alive()', 'withEdit(await probes.alive())'))
    await edit(
      route,
      text =>
        `${text}\nimport { edited } from '@/lib/gate'\nconst withEdit = ({ status, body }) => ({ status, body: { ...body, edited } })\n`,
    )
    await untilEdited(web)

    assert.equal(await turnOf(browser, web), 2, 'the session knows its first turn')
    const events = (await readFile(audit, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).event)
    assert.equal(events.filter(event => event === 'registry_loaded').length, 1, events.join())
  })
})

/** The turn that a question is answered in. */
async function turnOf(browser, web) {
  const { answers } = await browser.say('Who knows about Rust?')
  assert.equal(answers?.[0]?.ok, true, web.log())
  return answers[0].meta.turn
}

async function edit(file, change) {
  const text = await readFile(file, 'utf8')
  assert.notEqual(change(text), text, file)
  await writeFile(file, change(text))
}

async function untilEdited(web) {
  const limit = AbortSignal.timeout(RELOAD_LIMIT_MS)
  while (!limit.aborted) {
    const health = await fetch(`${web.url}/api/healthz`)
      .then(answer => answer.json())
      .catch(() => null)
    if (health?.edited === true) return
    await pause(200)
  }
  throw new Error(`the edit was not taken up: ${web.log()}`)
}

/** Copies the sources; hard-links installed packages, which stay unchanged, file by file. */
async function copyOfApp(t) {
  // On the same disk, which hard links require, and in a folder that no tool watches or searches for tests.
  const target = join(WEB, '../target')
  await mkdir(target, { recursive: true })
  const folder = await mkdtemp(join(target, 'web-dev-'))
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await cp(WEB, folder, { recursive: true, filter: from => !MADE.includes(relative(WEB, from)) })
  await linkTree(join(WEB, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

async function linkTree(from, to) {
  await mkdir(to)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await linkTree(source, copy)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), copy)
    else await link(source, copy)
  }
}
