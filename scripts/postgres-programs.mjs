// Where the programs of Postgres and PgBouncer are, and who runs them: Debian has a folder for each version of Postgres, which
// is in no path, and has servers in a folder that is in root's path only.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

const DEBIAN = '/usr/lib/postgresql'
const PROGRAMS = ['initdb', 'pg_isready', 'postgres']
const SERVERS = '/usr/sbin'

const pathFolders = () => (process.env.PATH ?? '').split(path.delimiter)

/** The folder with the server, `initdb` and `pg_isready`; undefined if there is none. */
export function postgresPrograms() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(version => path.join(DEBIAN, version, 'bin')) : []
  return [...pathFolders(), ...versions].find(folder => PROGRAMS.every(name => existsSync(path.join(folder, name))))
}

/** The program `pgbouncer`, or undefined. */
export const pgbouncerProgram = () =>
  [...pathFolders(), SERVERS].map(folder => path.join(folder, 'pgbouncer')).find(file => existsSync(file))

/** The numbers of the user and the group that run the server if this process is root: Postgres refuses to run as root. */
export function postgresOwner() {
  if (process.getuid?.() !== 0) return {}
  const number = option => Number(spawnSync('id', [option, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: number('-u'), gid: number('-g') }
}

/**
 * Makes the folder of a database whose user is `postgres`.
 *
 * @param {string} programs @param {{ data: string, owner: { uid?: number, gid?: number }, options: string[] }} folder
 */
export function initializePostgres(programs, { data, owner, options }) {
  const args = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', ...options]
  const { status, stderr } = spawnSync(path.join(programs, 'initdb'), args, {
    ...owner,
    encoding: 'utf8',
    cwd: path.dirname(data),
  })
  if (status !== 0) throw new Error(stderr)
}
