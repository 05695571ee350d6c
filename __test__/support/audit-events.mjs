import { readFile } from 'node:fs/promises'

/** The names of all audit events, read from the variants of the core's type. @returns {Promise<string[]>} */
export async function auditEvents() {
  const source = await readFile(new URL('../../src/observe/event.rs', import.meta.url), 'utf8')
  const variants = source.slice(source.indexOf("pub enum Event<'a> {")).matchAll(/^ {4}([A-Z]\w+) ?[({]/gm)
  return [...variants].map(([, name]) => name.replace(/\B[A-Z]/g, '_$&').toLowerCase())
}
