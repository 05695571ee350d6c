// Where the programs of Postgres and PgBouncer are, and who runs them: Debian has a folder for each version of Postgres, which
// is in no path, and has servers in a folder that is in root's path only.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'

import { root } from './run-step.mjs'

const DEBIAN = '/usr/lib/postgresql'
const PROGRAMS = ['initdb', 'pg_isready', 'postgres']
const SERVERS = '/usr/sbin'
/** Folders of databases that `initdb` has made, by its version and options. */
const KEPT = path.join(root, '.toolgate', 'postgres')

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
 * Makes the folder of a database whose user is `postgres`. Where anyone may connect, it is a copy of the first one: `initdb` computes for
 * seconds, and then waits for the disk, which no killed server needs.
 *
 * @param {string} programs @param {{ data: string, owner: { uid?: number, gid?: number }, options: string[] }} folder
 */
export function initializePostgres(programs, { data, owner, options }) {
  const initdb = path.join(programs, 'initdb')
  const run = (program, args, settings = {}) => {
    const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...settings })
    if (status !== 0) throw error ?? new Error(stderr)
    return stdout
  }
  const make = () => {
    const args = ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync', ...options]
    run(initdb, args, { ...owner, cwd: path.dirname(data) })
  }
  if (options.some(option => option.startsWith('--pwfile'))) {
    make()
    return
  }
  const which = [run(initdb, ['--version']), owner, options]
  const kept = path.join(KEPT, createHash('sha256').update(JSON.stringify(which)).digest('hex').slice(0, 16))
  if (existsSync(kept)) {
    run('cp', ['-a', kept, data])
    return
  }
  make()
  mkdirSync(KEPT, { recursive: true })
  const copy = `${kept}-${process.pid}`
  run('cp', ['-a', data, copy])
  try {
    renameSync(copy, kept)
  } catch (error) {
    // Another process was first.
    rmSync(copy, { recursive: true, force: true })
    if (!existsSync(kept)) throw error
  }
}
