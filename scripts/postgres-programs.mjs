// Where Postgres' programs are: Debian has a folder for each version, which is not in the path.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'

const DEBIAN = '/usr/lib/postgresql'
const PROGRAMS = ['initdb', 'pg_isready', 'postgres']

/** The folder with the server, `initdb` and `pg_isready`; undefined if there is none. */
export function postgresPrograms() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(version => path.join(DEBIAN, version, 'bin')) : []
  const inPath = (process.env.PATH ?? '').split(path.delimiter)
  return [...inPath, ...versions].find(folder => PROGRAMS.every(name => existsSync(path.join(folder, name))))
}
