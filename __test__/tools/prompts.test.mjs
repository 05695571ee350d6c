// Prompts say how to behave. What tools there are is said elsewhere, from the registry, and must not be said twice.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { toolIds, schemaOf } from './support/tool-files.mjs'

const { ErrorType } = createRequire(import.meta.url)('../../index.js')
const prompt = name => readFileSync(new URL(`../../${name}.md`, import.meta.url), 'utf8')

test.each(['prompts/core', 'prompts/voice-behavior', 'tools/_prompts/studio'])(
  '%s names no tool and none of its parameters',
  name => {
    const text = prompt(name)
    for (const id of toolIds) {
      expect(text).not.toContain(id)
      const parameters = Object.keys(schemaOf(id).parameters.properties).filter(parameter => parameter.includes('_'))
      for (const parameter of parameters) expect(text).not.toContain(parameter)
    }
  },
)

test('core escalates in steps, by severity, and says why', () => {
  const [, policy] = /\n# When a user misuses the conversation\n([^]*?)\n# /.exec(prompt('prompts/core'))
  expect(policy.match(/^\d\. \w+/gm)).toEqual(['1. Warn', '2. Pause', '3. End'])
  expect(policy.match(/^\| (?:light|serious|severe) \|/gm)).toHaveLength(3)
  expect(policy).toContain('is paid for')
})

test('core says what to do about every type of error', () => {
  const treated = prompt('prompts/core')
    .match(/^\| [A-Z_, ]+ \|/gm)
    .join(' ')
  expect(treated.match(/[A-Z_]{4,}/g).sort()).toEqual(Object.values(ErrorType).sort())
})
