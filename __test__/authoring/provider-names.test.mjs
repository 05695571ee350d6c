// The names of the providers' forms are written in four places: each has those of the compiler, in its order.
import { readFile } from 'node:fs/promises'

import { buildTools } from '../../index.js'
import { toolSet } from '../support/tool-set.mjs'

const namesIn = text => [...text.matchAll(/[`']([a-z][A-Za-z]+)[`']/g)].map(([, name]) => name)

async function namesBetween(file, begin, end) {
  const text = await readFile(file, 'utf8')
  const from = text.indexOf(begin)
  expect([file, from]).not.toEqual([file, -1])
  return namesIn(text.slice(from + begin.length, text.indexOf(end, from)))
}

test('the compiler, the registry, the types and the inspector have the same names', async () => {
  const { folder } = await toolSet({ echo: {} })
  const { diagnostics } = await buildTools({ toolsDir: folder, outDir: folder, providers: ['no_such_form'] })
  const names = namesIn(diagnostics.find(({ code }) => code === 'unknown-provider').help)
  expect(names.length).toBeGreaterThan(5)
  expect(await namesBetween('js/tool-sets/provider-forms.js', 'const PROVIDERS = [', ']')).toEqual(names)
  expect(await namesBetween('types/providers.d.ts', 'export type ProviderName =', '\n\n')).toEqual(names)
  expect(await namesBetween('web/lib/inspector/tool-view.ts', 'export const PROVIDERS = [', ']')).toEqual(names)
})
