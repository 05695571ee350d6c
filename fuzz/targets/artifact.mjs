// Artifact text: changed bytes, and changed values in the format's lines. It loads, or it is refused with a code.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { changedBytes, changedJson } from '../bytes.mjs'
import { seeded } from '../random.cjs'
import { buildFolder, randomTool } from '../registry.mjs'
import { WatchedChild, runWatched } from '../watched-child.mjs'

const SEEDS = 8
const TOOLS = 3

export const name = 'artifact'

export async function open() {
  const random = seeded(1)
  const texts = []
  for (let seed = 0; seed < SEEDS; seed += 1) texts.push(await artifactText(random))
  return { texts, child: new WatchedChild('artifact') }
}

/** @param {Awaited<ReturnType<typeof open>>} context */
export async function close({ child }) {
  child.close()
}

/** @param {import('../random.cjs').Random} random @param {import('./index.mjs').Count} count @param {Awaited<ReturnType<typeof open>>} context */
export async function step(random, count, { texts, child }) {
  const text = random.pick(texts)
  const bytes = random.chance(0.5) ? changedBytes(random, Buffer.from(text)) : Buffer.from(changedLines(random, text))
  const found = { bytes: bytes.toString('base64') }
  return runWatched(child, found, count)
}

/** The artifact of a few random tools. @param {import('../random.cjs').Random} random */
async function artifactText(random) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-fuzz-'))
  try {
    const schemas = []
    while (schemas.length < TOOLS) {
      const schema = randomTool(random)?.jsonSchema
      if (schema !== undefined) schemas.push(schema)
    }
    return readFileSync(await buildFolder(folder, schemas), 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The text with changed values, whose lengths of lines are right: the changes are read, not refused as a cut file.
 * @param {import('../random.cjs').Random} random @param {string} text
 */
function changedLines(random, text) {
  const artifact = JSON.parse(text)
  const tools = artifact.tools.map((/** @type {any} */ tool) => (random.chance(0.5) ? changedJson(random, tool) : tool))
  const lines = tools.map(toolLines)
  const { tools: _, ...fields } = artifact
  fields.lineBytes = lines.flatMap((/** @type {string[]} */ pair) => pair.map(line => Buffer.byteLength(line)))
  const header = random.chance(0.3) ? changedJson(random, fields) : fields
  const head = JSON.stringify(header).slice(0, -1)
  return `${head},"tools":[\n${lines.map((/** @type {string[]} */ pair) => pair.join('\n')).join(',\n')}\n]}\n`
}

/** A tool's two lines: its definition, and its declarations. @param {any} tool @returns {string[]} */
function toolLines(tool) {
  const { providerSchemas, lowering, ...definition } = tool ?? {}
  return [`${JSON.stringify(definition).slice(0, -1)},`, JSON.stringify({ providerSchemas, lowering }).slice(1)]
}
