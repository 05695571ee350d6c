// Builds the documentation site into `.toolgate/site/dist`: the pages of the repository, and the reference of the declarations. A dead
// link fails the build.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { apiIndex, writeEntries } from './api.mjs'
import { homePage, isPage, sitePage } from './pages.mjs'

const HOME = path.dirname(fileURLToPath(import.meta.url))
const ROOT = path.dirname(HOME)
const OUT = path.join(ROOT, '.toolgate', 'site')
const SOURCE = path.join(OUT, 'source')
const ENTRIES = path.join(OUT, 'entries')

/** @param {string} command @param {string[]} words @param {string} cwd */
function run(command, words, cwd) {
  const { status } = spawnSync(command, words, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

const program = (/** @type {string} */ name) => path.join(HOME, 'node_modules', '.bin', name)

if (!existsSync(path.join(HOME, 'node_modules'))) run('npm', ['ci', '--no-fund', '--no-audit'], HOME)
rmSync(SOURCE, { recursive: true, force: true })
mkdirSync(SOURCE, { recursive: true })
const { stdout } = spawnSync('git', ['ls-files', '*.md', 'docs', 'LICENSE'], { cwd: ROOT, encoding: 'utf8' })
const pages = stdout.split('\n').filter(isPage)
for (const name of pages) {
  const target = path.join(SOURCE, name)
  mkdirSync(path.dirname(target), { recursive: true })
  if (name.endsWith('.md')) writeFileSync(target, sitePage(ROOT, name, pages))
  else cpSync(path.join(ROOT, name), target)
}
const home = path.join(SOURCE, 'README.md')
writeFileSync(home, homePage(readFileSync(path.join(HOME, 'home.md'), 'utf8'), readFileSync(home, 'utf8')))
cpSync(path.join(HOME, 'config.mjs'), path.join(SOURCE, '.vitepress', 'config.mjs'))
cpSync(path.join(HOME, 'theme'), path.join(SOURCE, '.vitepress', 'theme'), { recursive: true })
symlinkSync(path.join(HOME, 'node_modules'), path.join(SOURCE, 'node_modules'), 'dir')
run(
  program('typedoc'),
  [
    '--plugin',
    'typedoc-plugin-markdown',
    ...writeEntries(ROOT, ENTRIES).flatMap(entry => ['--entryPoints', entry]),
    '--tsconfig',
    path.join(ENTRIES, 'tsconfig.json'),
    '--out',
    path.join(SOURCE, 'api'),
    '--readme',
    'none',
    '--disableSources',
    '--hideBreadcrumbs',
    '--hidePageHeader',
    '--excludeExternals',
    '--sanitizeComments',
    '--skipErrorChecking',
    '--entryFileName',
    'index',
    '--router',
    'module',
    ...['parameters', 'interfaceProperties', 'classProperties', 'typeAliasProperties'].flatMap(kind => [
      `--${kind}Format`,
      'table',
    ]),
    '--logLevel',
    'Warn',
  ],
  HOME,
)
writeFileSync(path.join(SOURCE, 'api', 'index.md'), apiIndex(ROOT))
run(program('vitepress'), ['build', SOURCE, '--outDir', path.join(OUT, 'dist')], HOME)

// VitePress checks the links of pages; those of the navigation are in every page.
const dist = path.join(OUT, 'dist')
const linked = readFileSync(path.join(dist, 'index.html'), 'utf8').matchAll(/href="\/([^"#]*)"/g)
const exists = (/** @type {string} */ name) =>
  ['', '.html', 'index.html'].some(end => existsSync(path.join(dist, name + end)))
const dead = [...new Set([...linked].map(([, name]) => name))].filter(name => !exists(name))
for (const name of dead) console.error(`the navigation links to /${name}, which does not exist`)
if (dead.length > 0) process.exit(1)
