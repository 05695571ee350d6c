// Parameters of real tools: of the corpus that the environment names, else of this repository's own tools.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CORPUS = path.join(process.env.TOOLGATE_CORPUS ?? path.join(ROOT, '..', 'shared', 'corpus'), 'tools')

/** @returns {Record<string, any>[]} schemas of objects */
export function realSchemas() {
  const schemas = existsSync(CORPUS) ? corpusSchemas() : shippedSchemas()
  return schemas.filter(schema => typeof schema === 'object' && schema !== null && !Array.isArray(schema))
}

function corpusSchemas() {
  return readdirSync(CORPUS)
    .filter(name => name.endsWith('.jsonl'))
    .flatMap(name => readFileSync(path.join(CORPUS, name), 'utf8').split('\n'))
    .filter(line => line !== '')
    .map(line => JSON.parse(line).parameters)
}

function shippedSchemas() {
  const home = path.join(ROOT, 'tools')
  return readdirSync(home)
    .map(name => path.join(home, name, 'schema.json'))
    .filter(existsSync)
    .map(file => JSON.parse(readFileSync(file, 'utf8')).parameters)
}
