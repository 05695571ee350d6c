// Projects outside of the repository that use the packed package.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)
const OUTPUT_BYTES = 2 ** 26

/**
 * @param {[] | [flag: '-w', name: string]} [flags] of `npm pack`: a workspace
 * @returns {Promise<{ tarball: string, remove(): Promise<void> }>} the package as npm would publish it
 */
export async function packPackage(flags = []) {
  if (process.env.TOOLGATE_PACKED) return packedBefore(flags[1] ?? 'toolgate')
  const folder = await mkdtemp(path.join(tmpdir(), 'toolgate-packed-'))
  const { stdout } = await run('npm', ['pack', ...flags, '--json', '--pack-destination', folder], {
    cwd: root,
    maxBuffer: OUTPUT_BYTES,
  })
  const [{ filename }] = JSON.parse(stdout)
  return { tarball: path.join(folder, filename), remove: () => rm(folder, { recursive: true, force: true }) }
}

/** What `npm run test:all` has packed for all suites: an addon takes seconds to compress. @param {string} name */
async function packedBefore(name) {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
  const tarball = path.join(process.env.TOOLGATE_PACKED, `${name}-${version}.tgz`)
  if (!existsSync(tarball)) throw new Error(`${name} ${version} is not packed in ${process.env.TOOLGATE_PACKED}`)
  return { tarball, remove: async () => {} }
}

/**
 * An empty project with packages installed from the registry and from the tarball.
 *
 * @param {object} options
 * @param {string} options.tarball
 * @param {Record<string, string>} [options.files] text by path
 * @param {Record<string, string>} [options.dependencies]
 * @param {object} [options.manifest] further members of package.json
 * @param {string} [options.place] the folder that the project is in, whose packages it finds too
 */
export async function createProject({ tarball, files = {}, dependencies = {}, manifest = {}, place = tmpdir() }) {
  const folder = await mkdtemp(path.join(place, 'toolgate-project-'))
  const all = { toolgate: `file:${tarball}`, ...dependencies }
  const project = {
    folder,
    write: async added => {
      for (const [name, text] of Object.entries(added)) {
        const file = path.join(folder, name)
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(file, text)
      }
    },
    /** @returns {Promise<string>} the standard output */
    run: async (command, args, options = {}) => {
      const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_OPTIONS: '', ...options.env }
      const settings = { cwd: folder, maxBuffer: OUTPUT_BYTES, timeout: 1_200_000, ...options, env }
      return run(command, args, settings).then(
        ({ stdout }) => stdout,
        error => {
          throw new Error(`${command} ${args.join(' ')} failed: ${error.message}\n${error.stdout}\n${error.stderr}`)
        },
      )
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
  const packageJson = { name: 'project', private: true, type: 'module', dependencies: all, ...manifest }
  await project.write({ 'package.json': JSON.stringify(packageJson), ...files })
  await project.run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'])
  return project
}
