// `next dev` with the files of docs/next.md, from the packed package: a new build takes effect without a restart, also after the app's own
// modules were loaded again.
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

import { filesOfPage } from '../support/page.mjs'
import { createProject, packPackage } from './project.mjs'

const STARTED_WITHIN_MS = 300_000
const TOOL = 'tools/count_words/tool.js'
const ROUTE = 'app/api/tools/[tool]/route.ts'

let packed
let project

beforeAll(async () => {
  packed = await packPackage()
  const files = filesOfPage('docs/next.md')
  project = await createProject({
    tarball: packed.tarball,
    dependencies: { next: '16', react: '19', 'react-dom': '19', zod: '4' },
    manifest: { devDependencies: { typescript: '5', '@types/node': '20', '@types/react': '19' } },
    files: {
      'next.config.mjs': files['next.config.mjs'],
      [ROUTE]: files[ROUTE],
      'app/layout.tsx': 'export default ({ children }: any) => <html lang="en"><body>{children}</body></html>\n',
      'app/page.tsx': 'export default () => null\n',
    },
  })
  await project.run('npx', ['toolgate', 'init', '--js'])
  await project.run('npx', ['toolgate', 'build'])
})
afterAll(async () => {
  await project?.remove()
  await packed?.remove()
})

/** Starts `next dev` in a process group of its own; resolves with its address. */
async function start() {
  const env = { ...process.env, NODE_OPTIONS: '', NEXT_TELEMETRY_DISABLED: '1' }
  delete env.NODE_ENV
  const options = { cwd: project.folder, env, detached: true }
  const server = spawn('npx', ['next', 'dev', '--port', '0', '--hostname', '127.0.0.1'], options)
  const ended = new Promise(resolve => server.once('close', resolve))
  let log = ''
  const url = await new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`the server did not start: ${log}`)), STARTED_WITHIN_MS)
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', piece => {
        log += piece
        const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(log) ?? []
        if (address === undefined || address.endsWith(':0')) return
        clearTimeout(limit)
        resolve(address)
      })
  })
  const stop = () => {
    process.kill(-server.pid)
    return ended
  }
  return { url, stop, log: () => log }
}

test('a new build takes effect without a restart', async () => {
  const server = await start()
  try {
    const call = async () => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ text: 'one two' })
      const response = await fetch(`${server.url}/api/tools/count_words`, { method: 'POST', headers, body })
      const { ok, data, error } = await response.json()
      return ok ? data : error
    }
    const until = async (key, value) => {
      const limit = AbortSignal.timeout(STARTED_WITHIN_MS)
      while (!limit.aborted) {
        const data = await call()
        if (data[key] === value) return data
        await new Promise(resolve => setTimeout(resolve, 100))
      }
      throw new Error(`never ${key} = ${value}: ${server.log()}`)
    }
    expect(await call()).toEqual({ words: 2 })
    const source = await readFile(path.join(project.folder, TOOL), 'utf8')
    const build = async more => {
      const changed = source.replace('{ words: ', `{ ${more}, words: `)
      expect(changed).not.toBe(source)
      await project.write({ [TOOL]: changed })
      await project.run('npx', ['toolgate', 'build'])
    }
    await build('build: 2')
    expect(await until('build', 2)).toEqual({ build: 2, words: 2 })
    // The route's module is loaded again: it answers with another status.
    const route = await readFile(path.join(project.folder, ROUTE), 'utf8')
    await project.write({ [ROUTE]: route.replace('session: ', "toolOf: () => 'count_letters',\n  session: ") })
    await until('type', 'NOT_FOUND')
    await project.write({ [ROUTE]: route })
    await until('build', 2)
    await build('build: 3')
    expect(await until('build', 3)).toEqual({ build: 3, words: 2 })
  } finally {
    await server.stop()
  }
})
