// Builds the documentation site into `.toolgate/site/dist`: the pages of the repository, and the reference of `index.d.ts`. A dead link
// fails the build.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const HOME = path.dirname(fileURLToPath(import.meta.url))
const ROOT = path.dirname(HOME)
const OUT = path.join(ROOT, '.toolgate', 'site')
const SOURCE = path.join(OUT, 'source')
const FILES = /\.(?:md|png|svg|json)$/

/** @param {string} command @param {string[]} words @param {string} cwd */
function run(command, words, cwd) {
  const { status } = spawnSync(command, words, { cwd, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

const program = (/** @type {string} */ name) => path.join(HOME, 'node_modules', '.bin', name)

/**
 * Leaves the words of a link to a file of the repository that the site does not have. A link to what does not exist stays, and fails
 * the build.
 * @param {string} text @param {string} name of the page
 */
function withPagesOnly(text, name) {
  let fenced = false
  const lines = text.split('\n').map(line => {
    if (/^\s*```/.test(line)) fenced = !fenced
    return fenced
      ? line
      : line.replace(/(?<!!)\[([^\]]+)\]\(([^)\s#:]+)(#[^)\s]*)?\)/g, (link, words, target) => {
          const meant = path.posix.join(path.posix.dirname(name), target).replace(/\/$/, '')
          if (pages.includes(`${meant}/README.md`)) return `[${words}](${target.replace(/\/?$/, '/README.md')})`
          return pages.includes(meant) || !existsSync(path.join(ROOT, meant)) ? link : words
        })
  })
  return lines.join('\n')
}

if (!existsSync(path.join(HOME, 'node_modules'))) run('npm', ['ci', '--no-fund', '--no-audit'], HOME)
rmSync(SOURCE, { recursive: true, force: true })
mkdirSync(SOURCE, { recursive: true })
const { stdout } = spawnSync('git', ['ls-files', '*.md', 'docs', 'LICENSE'], { cwd: ROOT, encoding: 'utf8' })
const pages = stdout.split('\n').filter(name => FILES.test(name) && !/^(?:tests|__test__|fuzz|prompts)\//.test(name))
for (const name of pages) {
  const target = path.join(SOURCE, name)
  mkdirSync(path.dirname(target), { recursive: true })
  if (name.endsWith('.md')) writeFileSync(target, withPagesOnly(readFileSync(path.join(ROOT, name), 'utf8'), name))
  else cpSync(path.join(ROOT, name), target)
}
cpSync(path.join(HOME, 'config.mjs'), path.join(SOURCE, '.vitepress', 'config.mjs'))
symlinkSync(path.join(HOME, 'node_modules'), path.join(SOURCE, 'node_modules'), 'dir')
run(
  program('typedoc'),
  [
    '--plugin',
    'typedoc-plugin-markdown',
    '--entryPoints',
    path.join(ROOT, 'index.d.ts'),
    '--tsconfig',
    path.join(HOME, 'tsconfig.json'),
    '--out',
    path.join(SOURCE, 'api'),
    '--readme',
    'none',
    '--disableSources',
    '--hideBreadcrumbs',
    '--sanitizeComments',
    '--skipErrorChecking',
    '--entryFileName',
    'index',
    '--router',
    'kind',
    '--logLevel',
    'Warn',
  ],
  HOME,
)
run(program('vitepress'), ['build', SOURCE, '--outDir', path.join(OUT, 'dist')], HOME)

// VitePress checks the links of pages; those of the navigation are in every page.
const dist = path.join(OUT, 'dist')
const linked = readFileSync(path.join(dist, 'index.html'), 'utf8').matchAll(/href="\/([^"#]*)"/g)
const exists = (/** @type {string} */ name) =>
  ['', '.html', 'index.html'].some(end => existsSync(path.join(dist, name + end)))
const dead = [...new Set([...linked].map(([, name]) => name))].filter(name => !exists(name))
for (const name of dead) console.error(`the navigation links to /${name}, which does not exist`)
if (dead.length > 0) process.exit(1)
