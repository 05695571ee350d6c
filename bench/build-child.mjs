// A fresh process that builds a folder of tools, then says how long that took. Started by build.mjs:
// `node build-child.mjs <contender> <toolsDir>`. Nothing is imported before the clock starts.
//
// Ajv reads each schema.json and compiles the arguments' schema. Toolgate does all that a build is: it reads schemas, guides
// and handlers, checks them, makes every provider's declarations, and writes the artifact, types and handler module.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [contender, toolsDir] = process.argv.slice(2)
const outDir = mkdtempSync(join(tmpdir(), 'toolgate-bench-build-'))

async function compileWithAjv() {
  const { createAjv } = await import('./js-gateway/compiled-tool.mjs')
  const ajv = createAjv()
  return readdirSync(toolsDir).map(name => {
    const { parameters } = JSON.parse(readFileSync(join(toolsDir, name, 'schema.json'), 'utf8'))
    return ajv.compile(parameters)
  }).length
}

async function buildWithToolgate() {
  const { toolgate } = await import('./toolgate.mjs')
  const report = await toolgate.buildTools({ toolsDir, outDir })
  if (!report.ok) throw new Error(toolgate.formatReport(report))
  return report.tools.length
}

const ways = { ajv: compileWithAjv, toolgate: buildWithToolgate }

try {
  const started = performance.now()
  const count = await ways[contender]()
  const builtMs = performance.now() - started
  const expected = readdirSync(toolsDir).length
  if (count !== expected) throw new Error(`${contender} built ${count} tools of ${expected}`)
  console.log(JSON.stringify({ builtMs }))
} finally {
  rmSync(outDir, { recursive: true, force: true })
}
