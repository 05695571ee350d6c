// `node scripts/pack-release.mjs <folder> [--addons <folder>] [--bills-of-materials]`: packs what a release publishes, as
// tarballs with their checksums (`SHA256SUMS`).
//
// - `toolgate-<platform>` for each addon `toolgate.<platform>.node` below the folder of addons (this repository by default).
// - `toolgate` without an addon: the platforms' packages are its optional dependencies, and npm installs the one that fits.
// - `toolgate-tools` and `toolgate-react`, whose peer is the same version of `toolgate`, and `toolgate-voice-server`, which depends on it;
//   `toolgate-simulator`, which depends on none.
//
// Their manifests name the repository that the workflow runs in (`repository`, `homepage`, `bugs`): provenance needs it.
//
// Bills of materials in CycloneDX's format are those of npm and of cargo (`cargo install cargo-cyclonedx`).
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { packedFiles } from './packed-files.mjs'
import { root } from './run-step.mjs'

const OUTPUT_BYTES = 2 ** 26
/** Members of a manifest that only this repository uses. */
const OWN_MEMBERS = ['private', 'scripts', 'devDependencies', 'workspaces', 'jest', 'overrides']

const readJson = file => JSON.parse(readFileSync(file, 'utf8'))
const npm = (args, cwd) => execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: OUTPUT_BYTES })

/**
 * @param {object} options
 * @param {string} options.folder for the tarballs; made if absent
 * @param {string} [options.addons] the folder that is searched for addons, with what is below it
 * @param {string} [options.repository] its address, such as `https://git.example/team/toolgate`
 * @returns {string[]} the tarballs' paths
 */
export function packRelease({ folder, addons = root, repository = repositoryOfWorkflow() }) {
  mkdirSync(folder, { recursive: true })
  const { version, peerDependencies } = readJson(path.join(root, 'package.json'))
  const platforms = readdirSync(path.join(root, 'npm'))
  const own = {
    optionalDependencies: Object.fromEntries(platforms.map(name => [`toolgate-${name}`, version])),
    peerDependencies: { ...peerDependencies, 'toolgate-tools': version },
  }
  const isAddon = file => file.endsWith('.node')
  const placed = from => placeOf(repository, path.relative(root, from))
  const packed = [
    ...addonsBelow(addons, platforms).map(([platform, file]) =>
      pack({
        from: path.join(root, 'npm', platform),
        added: [file],
        into: folder,
        members: placed(path.join(root, 'npm', platform)),
      }),
    ),
    pack({ from: root, into: folder, leave: isAddon, members: { ...own, ...placed(root) } }),
    pack({
      from: path.join(root, 'tools'),
      into: folder,
      members: { ...placed(path.join(root, 'tools')), peerDependencies: { toolgate: version } },
    }),
    pack({
      from: path.join(root, 'react'),
      into: folder,
      members: {
        ...placed(path.join(root, 'react')),
        peerDependencies: { ...readJson(path.join(root, 'react/package.json')).peerDependencies, toolgate: version },
      },
    }),
    pack({
      from: path.join(root, 'voice-server'),
      into: folder,
      members: {
        ...placed(path.join(root, 'voice-server')),
        dependencies: { ...readJson(path.join(root, 'voice-server/package.json')).dependencies, toolgate: version },
      },
    }),
    pack({ from: path.join(root, 'simulator'), into: folder, members: placed(path.join(root, 'simulator')) }),
  ]
  writeFileSync(path.join(folder, 'SHA256SUMS'), packed.map(checksum).join(''))
  return packed
}

/** The repository that a workflow runs in; undefined elsewhere. */
function repositoryOfWorkflow() {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env
  return GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : undefined
}

/** Where a package's sources are. @param {string | undefined} repository @param {string} directory @returns {object} */
function placeOf(repository, directory) {
  if (repository === undefined) return {}
  const source = { type: 'git', url: `git+${repository}.git`, ...(directory && { directory }) }
  return { repository: source, homepage: `${repository}#readme`, bugs: { url: `${repository}/issues` } }
}

/** @param {string} folder @param {string[]} platforms @returns {[platform: string, file: string][]} */
function addonsBelow(folder, platforms) {
  const folders = [
    folder,
    ...readdirSync(folder)
      .filter(name => name.startsWith('addon-'))
      .map(name => path.join(folder, name)),
  ]
  return platforms.flatMap(platform => {
    const name = `toolgate.${platform}.node`
    const place = folders.find(one => readdirSync(one).includes(name))
    return place === undefined ? [] : [[platform, path.join(place, name)]]
  })
}

/**
 * Packs a copy of a package's published files, so that the package itself is left as it is.
 *
 * @param {object} options
 * @param {string} options.from the package's folder
 * @param {string} options.into
 * @param {string[]} [options.added] files beside the package's own
 * @param {(file: string) => boolean} [options.leave] files that are left out
 * @param {object} [options.members] of the manifest, in the place of its own
 * @returns {string} the tarball's path
 */
function pack({ from, into, added = [], leave = () => false, members = {} }) {
  const copy = mkdtempSync(path.join(tmpdir(), 'toolgate-release-'))
  try {
    for (const file of packedFiles(from)) if (!leave(file)) cpSync(path.join(from, file), path.join(copy, file))
    for (const file of added) cpSync(file, path.join(copy, path.basename(file)))
    const manifest = { ...readJson(path.join(from, 'package.json')), ...members }
    for (const member of OWN_MEMBERS) delete manifest[member]
    writeFileSync(path.join(copy, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', path.resolve(into)], copy))
    return path.join(into, filename)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** A line as of `sha256sum`. @param {string} file */
const checksum = file => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${path.basename(file)}\n`

/** @param {string} folder */
function writeBillsOfMaterials(folder) {
  const flags = ['--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only']
  writeFileSync(path.join(folder, 'toolgate.npm.cdx.json'), npm(['sbom', ...flags], root))
  const name = 'toolgate.cargo.cdx'
  execFileSync('cargo', ['cyclonedx', '--format', 'json', '--override-filename', name], { cwd: root, stdio: 'inherit' })
  cpSync(path.join(root, `${name}.json`), path.join(folder, `${name}.json`))
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { addons: { type: 'string' }, 'bills-of-materials': { type: 'boolean', default: false } },
  })
  const [folder] = positionals
  if (folder === undefined) throw new Error('which folder? `node scripts/pack-release.mjs <folder>`')
  for (const file of packRelease({ folder, addons: values.addons })) console.log(file)
  if (values['bills-of-materials']) writeBillsOfMaterials(folder)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
