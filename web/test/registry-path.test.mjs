// The import path of web agents, `@/tools/_core/registry.js`, names the registry of the package.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as toolgate from 'toolgate'
import ts from 'typescript'

const WEB = fileURLToPath(new URL('..', import.meta.url))

test('`@/tools/_core/registry.js` resolves to the registry of the package', async () => {
  const { config } = ts.readConfigFile(`${WEB}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, WEB)
  const found = ts.resolveModuleName('@/tools/_core/registry.js', `${WEB}app/page.tsx`, options, ts.sys)
  assert.equal(found.resolvedModule?.resolvedFileName, `${WEB}lib/registry-import-path.js`)

  const registry = await import(pathToFileURL(found.resolvedModule.resolvedFileName).href)
  assert.deepEqual({ ...registry }, { createRegistry: toolgate.createRegistry, toolRegistry: toolgate.toolRegistry })
})
