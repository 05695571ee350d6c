// Findings about a provider are for a project that uses it: by `providers`, else by its dependencies.
import { buildTools } from '../../index.js'
import { project } from '../support/project.mjs'

const ORDINARY = `import { defineTool } from 'toolgate'
import { z } from 'zod'
export default defineTool({
  description: 'Book a table. Use it when the user names a day and a number of people.',
  sideEffects: 'writes',
  parameters: z.object({
    day: z.iso.date().describe('The day.'),
    people: z.int().positive().max(12).describe('How many people come.'),
    email: z.email().describe('Where the answer goes.'),
    wishes: z.array(z.string().min(1)).optional().describe('Wishes for the table.'),
  }),
  execute: ({ args }) => ({ ok: true, data: args.people }),
})\n`

const found = async (manifest, source = ORDINARY, options = {}) => {
  const { tools, write } = project({ manifest })
  write('tools/book/tool.js', source)
  const { diagnostics, ok } = await buildTools({ toolsDir: tools, ...options })
  return { ok, codes: diagnostics.map(({ code }) => code), messages: diagnostics.map(({ message }) => message) }
}

test('an ordinary tool of a project without a provider has no warning', async () => {
  expect((await found({ dependencies: { zod: '4' } })).codes).toEqual([])
})

test.each([
  [{ '@google/genai': '1' }, 'geminiNative'],
  [{ '@ai-sdk/google': '1' }, 'geminiNative'],
])('with %j the losses of its declaration are reported', async (dependencies, target) => {
  const { codes, messages } = await found({ dependencies })
  expect(codes).toContain('lowering-lost')
  expect(messages.filter(text => text.includes('lost for')).every(text => text.includes(target))).toBe(true)
})

test('what is stated goes before the dependencies', async () => {
  const stated = await found({ dependencies: { '@google/genai': '1' } }, ORDINARY, { providers: ['anthropic'] })
  expect(stated.codes).not.toContain('lowering-lost')
})

const long = (place, accepted = '') => {
  const text = JSON.stringify(`Short.\n\n${'Long words. '.repeat(90)}`)
  return `import { defineTool } from 'toolgate'
export default defineTool({ description: ${place === 'tool' ? text : "'Short.'"}, sideEffects: 'none', ${accepted}
  parameters: { type: 'object', properties: { a: { type: 'string', description: 'A.', ${place === 'tool' ? '' : `${place}: ${text}`} } } },
  execute: () => ({ ok: true }) })\n`
}

test.each(['tool', 'description', 'title'])(
  'a %s of more than 1,024 characters is a finding for OpenAI',
  async place => {
    const uses = { dependencies: { openai: '6' } }
    const { ok, codes, messages } = await found(uses, long(place))
    expect([ok, codes]).toEqual([true, ['description-long']])
    expect(messages[0]).toMatch(/^OpenAI takes a `(description|title)` of at most 1024 characters, not 1088$/)
    expect((await found(uses, long(place, "lintAccepted: ['description-long'],"))).codes).toEqual([])
    expect((await found({ dependencies: { '@anthropic-ai/sdk': '1' } }, long(place))).codes).toEqual([])
  },
)
