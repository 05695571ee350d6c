// The two accidents of examples/experiments, from the packed package with the exact versions that the example names: what each
// framework does is what its page says.
import { cp, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProject, packPackage } from './project.mjs'

const EXPERIMENTS = fileURLToPath(new URL('../../examples/experiments/', import.meta.url))
let packed
let project

beforeAll(async () => {
  packed = await packPackage()
  const { dependencies } = JSON.parse(await readFile(path.join(EXPERIMENTS, 'package.json'), 'utf8'))
  project = await createProject({ tarball: packed.tarball, dependencies })
  const folder = path.join(project.folder, 'experiments')
  const filter = file => !file.includes('node_modules')
  await cp(EXPERIMENTS, folder, { recursive: true, filter })
  await rm(path.join(folder, 'package-lock.json'))
}, 600_000)

afterAll(async () => {
  await project?.remove()
  await packed?.remove()
})

/** The rows of the page's table, by framework. */
async function rowsOfPage() {
  const page = await readFile(path.join(EXPERIMENTS, 'README.md'), 'utf8')
  const rows = page.split('\n').filter(line => line.startsWith('| ') && !line.startsWith('| |'))
  return rows.map(line =>
    line
      .split('|')
      .slice(2, -1)
      .map(cell => cell.trim()),
  )
}

test('the frameworks do what the page says, and Toolgate refunds once', async () => {
  const cwd = path.join(project.folder, 'experiments')
  await project.run('npx', ['toolgate', 'build'], { cwd })
  const rows = JSON.parse(await project.run('node', ['main.mjs', '--json'], { cwd, timeout: 600_000 }))
  const frameworks = [...new Set(rows.map(({ framework }) => framework))]
  const made = frameworks.map(name =>
    rows.filter(({ framework }) => framework === name).map(({ refunds }) => refunds.join(' + ') || 'none'),
  )
  expect(made).toEqual(await rowsOfPage())
  expect(made.at(-1)).toEqual(['40', '40', '40', '40', 'none', 'none'])
  const heard = rows.filter(({ framework }) => framework === 'Toolgate').map(one => one.heard)
  expect(heard).toEqual([...Array(4).fill({ refunded: 40 }), 'CONFIRMATION_EXPIRED', 'CONFIRMATION_EXPIRED'])
}, 700_000)
