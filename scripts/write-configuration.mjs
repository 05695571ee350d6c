// Writes docs/configuration.md from the table of settings: `node scripts/write-configuration.mjs [--check]`.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const { SETTINGS } = createRequire(import.meta.url)('../js/http/settings.js')

const PAGE = new URL('../docs/configuration.md', import.meta.url)
const PROGRAMS = { voice: 'voice', web: 'web', cli: 'CLI' }

/** @param {string} title @param {(setting: (typeof SETTINGS)[number]) => boolean} belongs */
function section(title, belongs) {
  const rows = SETTINGS.filter(belongs).map(({ name, readBy, meaning, default: standard, isSecret }) => {
    const programs = readBy.map(program => PROGRAMS[program]).join(', ')
    return `| \`${name}\`${isSecret ? ' (secret)' : ''} | ${programs} | ${meaning} | ${standard ?? '–'} |`
  })
  return [`## ${title}`, '', '| variable | read by | meaning | default |', '|---|---|---|---|', ...rows, '']
}

const page = [
  '# Configuration',
  '',
  '<!-- Written by scripts/write-configuration.mjs from js/http/settings.js. -->',
  '',
  'The environment variables of the [voice server](../voice-server/README.md), the [web app](../web/README.md) and the',
  '[command line](cli.md). All are read when a program starts, none when it is built. An empty value counts as none. A value that',
  'cannot be used ends the start with the name of the variable and what would be right. Both servers warn of a `TOOLGATE_…` variable',
  'that nothing reads if its name is similar to one that is read. A program of your own has the options of `createRegistry` instead.',
  '',
  'Values marked as secret belong into the secret store of the platform; none is logged or shown.',
  '',
  ...section('Servers', ({ readBy }) => readBy.some(program => program !== 'cli')),
  ...section('Command line alone', ({ readBy }) => readBy.every(program => program === 'cli')),
].join('\n')

if (!process.argv.includes('--check')) writeFileSync(PAGE, page)
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error(
    'docs/configuration.md is not what js/http/settings.js says: run `node scripts/write-configuration.mjs`',
  )
  process.exitCode = 1
}
