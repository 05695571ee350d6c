// The table of settings has the variables that the servers and the command line read, all of them.
import { spawnSync } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { SETTINGS, misspeltSettings } from '../../js/http/index.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = ['voice-server/src', 'voice-server/main.js', 'web/lib', 'web/app', 'tools/_services', 'js']
/** Of Node, of tests, of terminals, and of OpenTelemetry, whose variables have pages of their own. */
const OTHERS = [
  'CI',
  'TOOLGATE_CORPUS',
  'NO_COLOR',
  'FORCE_COLOR',
  'COLUMNS',
  'TERM',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'NEXT_RUNTIME',
  'NEXT_MANUAL_SIG_HANDLE',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_SDK_DISABLED',
  'OTEL_TRACES_EXPORTER',
]
/** Read by Next's own server. */
const OF_NEXT = ['HOSTNAME']

async function filesBelow(place) {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => null)
  if (entries === null) return [place]
  const found = await Promise.all(entries.map(entry => filesBelow(path.join(place, entry.name))))
  return found.flat().filter(file => /\.(js|mjs|ts|tsx)$/.test(file))
}

/** Below `js`, what is no command: every program may read it. */
const SHARED = ['js/http', 'js/gate/options.js', 'js/gate/host-listeners.js', 'tools/_services']

const variablesOfPrograms = () => variablesIn(FOLDERS)

async function variablesIn(folders) {
  const files = (await Promise.all(folders.map(folder => filesBelow(path.join(root, folder))))).flat()
  const texts = await Promise.all(files.map(file => readFile(file, 'utf8')))
  const read = texts.flatMap(text => [
    ...text.matchAll(/\benv\.([A-Z][A-Z_]+)/g),
    ...text.matchAll(/environmentList\('([A-Z_]+)'\)/g),
  ])
  return new Set(read.map(([, name]) => name))
}

test('the table of settings has all variables that programs read, and no others', async () => {
  const read = [...(await variablesOfPrograms())].filter(name => !OTHERS.includes(name))
  expect(read.length).toBeGreaterThan(15)
  expect(SETTINGS.map(({ name }) => name).sort()).toEqual([...new Set([...read, ...OF_NEXT])].sort())
})

test('each setting names the programs that read it', async () => {
  const [voice, web, shared, cli] = await Promise.all(
    [['voice-server/src', 'voice-server/main.js'], ['web/lib', 'web/app'], SHARED, ['js/cli']].map(variablesIn),
  )
  const wrong = SETTINGS.filter(({ name }) => !shared.has(name) && !OF_NEXT.includes(name)).filter(
    ({ name, readBy }) => {
      const readers = { voice: voice.has(name), web: web.has(name), cli: cli.has(name) }
      return Object.entries(readers).some(([program, reads]) => reads && !readBy.includes(program))
    },
  )
  expect(wrong).toEqual([])
})

test('the page of settings is what the table says', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/write-configuration.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('a misspelt variable is found, others are left alone', () => {
  const env = {
    TOOLGATE_STORES: 'x',
    TOOLGATE_AUDITS: '',
    TOOLGATE_STORE: 'memory',
    TOOLGATE_CRM_TENANT_ID: 'x',
    STORE: 'x',
  }
  expect(misspeltSettings(env)).toEqual([
    { name: 'TOOLGATE_STORES', meant: 'TOOLGATE_STORE' },
    { name: 'TOOLGATE_AUDITS', meant: 'TOOLGATE_AUDIT' },
  ])
})
