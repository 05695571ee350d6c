// The variables of the page on deployment are those that the servers read, all of them.
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = [
  'voice-server/src',
  'voice-server/main.js',
  'web/lib',
  'web/app',
  'web/proxy.ts',
  'tools/_services',
  'js',
]
/** Of Node, of tests and of the command line. */
const OTHERS = [
  'NODE_ENV',
  'CI',
  'TOOLGATE_DEBUG',
  'TOOLGATE_CORPUS',
  'NO_COLOR',
  'FORCE_COLOR',
  'COLUMNS',
  'TERM',
  'NEXT_RUNTIME',
  'NEXT_MANUAL_SIG_HANDLE',
]
/** Read by Next's own server. */
const OF_NEXT = ['HOSTNAME']

async function filesBelow(place) {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => null)
  if (entries === null) return [place]
  const found = await Promise.all(entries.map(entry => filesBelow(path.join(place, entry.name))))
  return found.flat().filter(file => /\.(js|mjs|ts|tsx)$/.test(file))
}

async function variablesOfServers() {
  const files = (await Promise.all(FOLDERS.map(folder => filesBelow(path.join(root, folder))))).flat()
  const texts = await Promise.all(files.map(file => readFile(file, 'utf8')))
  const read = texts.flatMap(text => [
    ...text.matchAll(/\benv\.([A-Z][A-Z_]+)/g),
    ...text.matchAll(/list\('([A-Z_]+)'\)/g),
  ])
  return new Set(read.map(([, name]) => name))
}

test('all variables of the servers, and no others', async () => {
  const page = await readFile(path.join(root, 'docs/deployment.md'), 'utf8')
  const table = page.slice(page.indexOf('## Variables'))
  const rows = table.split('\n').filter(line => line.startsWith('| `'))
  const named = rows.flatMap(line => [...line.split('|')[1].matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  const read = [...(await variablesOfServers())].filter(name => !OTHERS.includes(name))
  expect(read.length).toBeGreaterThan(15)
  expect(named.sort()).toEqual([...new Set([...read, ...OF_NEXT])].sort())
})
