// `toolgate list` and `toolgate describe`.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { toolgate } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const TOOLS = {
  book_room: {
    kind: 'write',
    requiresConfirmation: true,
    lintAccepted: ['lowering-lost'],
    title: 'Book a room',
    requires: ['calendar'],
    requiredRoles: ['staff'],
    rateLimit: { calls: 3, windowMs: 60_000 },
    properties: {
      room: { enum: ['red', 'blue'], description: 'Which room.' },
      seats: { type: 'integer', minimum: 1, maximum: 20, default: 4, description: 'How many seats.' },
      guests: {
        type: 'array',
        maxItems: 5,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['mail'],
          properties: { mail: { type: 'string', format: 'email', maxLength: 80 } },
        },
      },
    },
    required: ['room'],
  },
  find_room: { kind: 'read', allowedModes: ['text'] },
}

const GUIDE = `# book_room

Books a **room** with \`calendar\`.

## Parameters

- \`room\`: which room, and a line that is long enough to be broken on a narrow terminal because it goes on and on, as some people write.
- \`seats\`, \`guests\`: who comes.
  - \`mail\`: where they are asked.

## Examples

Books it:

\`\`\`json
{ "room": "red" }
\`\`\`
`

async function made() {
  const { home, tools, write } = project({ tools: TOOLS })
  write('tools/book_room/guide.md', GUIDE)
  return { home, tools, write }
}

test('a list of what decides how calls are treated, from the sources', async () => {
  const { home } = await made()
  const [text, json] = await Promise.all([
    toolgate(['list'], { cwd: home }),
    toolgate(['list', '--json'], { cwd: home }),
  ])
  expect({ code: text.code, stderr: text.stderr }).toEqual({ code: 0, stderr: '' })
  const version = JSON.parse(json.stdout).version
  expect(text.stdout).toBe(
    [
      'TOOL       CATEGORY   EFFECT  MODES        CONFIRMATION  VERSION',
      'book_room  action     writes  text, voice  yes           1.0.0',
      'find_room  retrieval  reads   text         no            1.0.0',
      '',
      `2 tools, version ${version}`,
      '',
    ].join('\n'),
  )
  expect(JSON.parse(json.stdout)).toMatchObject({
    from: 'sources',
    tools: [
      {
        toolId: 'book_room',
        title: 'Book a room',
        category: 'action',
        sideEffects: 'writes',
        requiresConfirmation: true,
        requires: ['calendar'],
        summary: 'Books a **room** with `calendar`.',
      },
      { toolId: 'find_room', requires: [] },
    ],
  })
})

test('the estimated tokens of each declaration, with their sums', async () => {
  const { home } = await made()
  const [text, json] = await Promise.all([
    toolgate(['list', '--tokens'], { cwd: home }),
    toolgate(['list', '--tokens', '--json'], { cwd: home }),
  ])
  const { tokens, tools: listed } = JSON.parse(json.stdout)
  const described = await toolgate(['describe', 'book_room', '--json'], { cwd: home })
  const declaration = JSON.parse(described.stdout).tool.providerSchemas.openai
  expect(listed[0].tokens.openai).toBe(Math.ceil(Buffer.byteLength(JSON.stringify(declaration)) / 4))
  expect(tokens.anthropic).toBe(listed[0].tokens.anthropic + listed[1].tokens.anthropic)
  const [heading, first, , sums] = text.stdout.split('\n').map(line => line.split(/ {2,}/))
  expect(heading).toEqual(['TOOL', ...Object.keys(tokens)])
  expect(first).toEqual(['book_room', ...Object.values(listed[0].tokens).map(String)])
  expect(sums).toEqual(['(sum)', ...Object.values(tokens).map(String)])
  expect(text.stdout).toContain('bytes of its compact JSON / 4')
})

test('where the sources have errors the last tool set is listed, and without one nothing is', async () => {
  const { home, tools, write } = await made()
  await toolgate(['build', '--out', 'dist'], { cwd: home })
  write('tools/find_room/schema.json', '{')
  const [last, none, named] = await Promise.all([
    toolgate(['list', '--json'], { cwd: home }),
    toolgate(['list', tools], { cwd: home }),
    toolgate(['list', '--json', '--artifact', 'dist/tool_registry.json'], { cwd: home }),
  ])
  // The project does not say where its output is, so it is looked for beside the tools.
  for (const { code, stdout, stderr } of [last, none]) {
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'toolgate: the tools in `tools` have 1 error\n`toolgate check` shows them\n',
    })
  }
  expect(JSON.parse(named.stdout)).toMatchObject({
    from: 'artifact',
    tools: [{ toolId: 'book_room' }, { toolId: 'find_room' }],
  })
  const manifest = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8'))
  writeFileSync(path.join(home, 'package.json'), JSON.stringify({ ...manifest, toolgate: { out: 'dist' } }))
  const told = await toolgate(['list', '--json'], { cwd: home })
  expect({ code: told.code, stderr: told.stderr }).toEqual({
    code: 0,
    stderr:
      'the tools in `tools` have 1 error (`toolgate check` shows them); this is the last tool set that was built\n',
  })
  expect(JSON.parse(told.stdout).from).toBe('artifact')
})

test('an artifact that is none is told', async () => {
  const { home, write } = await made()
  write('text.json', 'x')
  write('other.json', '{}')
  const ran = await Promise.all(
    ['none.json', 'text.json', 'other.json'].map(file => toolgate(['list', '--artifact', file], { cwd: home })),
  )
  expect(ran.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([
    '1 toolgate: `none.json` is not there\nbuild it with `toolgate build`\n',
    '1 toolgate: `text.json` is no tool set: it is not JSON\nbuild it with `toolgate build`\n',
    '1 toolgate: `other.json` is no tool set\nname a tool_registry.json\n',
  ])
})

test('a tool is described for people and for machines', async () => {
  const { home } = await made()
  const [text, coloured, json] = await Promise.all(
    [
      ['describe', 'book-room'],
      ['describe', 'book_room', '--color'],
      ['describe', 'book_room', '--json'],
    ].map(words => toolgate(words, { cwd: home })),
  )
  expect({ code: text.code, stderr: text.stderr }).toEqual({ code: 0, stderr: '' })
  const [head, guide] = text.stdout.split('\nBooks a')
  expect(head).toBe(`book_room 1.0.0  Book a room
A tool of the tests.

  category      action
  effect        writes
  modes         text, voice
  confirmation  yes
  time          600000 ms expected, 25000 ms at most
  needs         calendar
  roles         staff
  rate          3 calls in 60000 ms per session
  handler       book_room/handler.js

Parameters
  room  "red" | "blue"
      Which room.
  seats?  integer, 1 to 20, default 4
      How many seats.
  guests?  object[], at most 5 items
    mail  string (email), at most 80 characters
`)
  expect(guide).toContain(
    '\n  - `room`: which room, and a line that is long enough to be broken on a narrow terminal because it\n    goes on and on, as some people write.\n',
  )
  expect(guide).toContain('\n    - `mail`: where they are asked.\n')
  expect(guide).toContain('\n    { "room": "red" }\n')
  const targets = Object.keys(JSON.parse(json.stdout).tool.providerSchemas).sort()
  expect(
    guide
      .split('\nDeclarations\n')[1]
      .trimEnd()
      .split('\n')
      .map(line => /^ {2}(\S+) +(as written|\d+ (changed|lost)|not possible)/.exec(line)?.[1]),
  ).toEqual(targets)
  expect(coloured.stdout).toContain('\u001b[')
  expect(JSON.parse(json.stdout)).toMatchObject({
    from: 'sources',
    tool: { toolId: 'book_room', documentation: GUIDE, jsonSchema: { required: ['room'] } },
  })
})

test("a provider's declaration comes with its receipt", async () => {
  const { home } = await made()
  const [text, family, json, all] = await Promise.all(
    [
      ['describe', 'book_room', '--provider', 'geminiNative'],
      ['describe', 'book_room', '--provider', 'gemini'],
      ['describe', 'book_room', '--provider', 'geminiNative', '--json'],
      ['describe', 'book_room', '--json'],
    ].map(words => toolgate(words, { cwd: home })),
  )
  const { tool } = JSON.parse(all.stdout)
  const { toolId, provider, declaration, lowering } = JSON.parse(json.stdout)
  expect({ toolId, provider, declaration, lowering }).toEqual({
    toolId: 'book_room',
    provider: 'geminiNative',
    declaration: tool.providerSchemas.geminiNative,
    lowering: tool.lowering.geminiNative ?? [],
  })
  expect(family.stdout).toBe(text.stdout)
  expect(text.stdout).toContain('book_room for geminiNative\n{\n  "name": "book_room"')
  for (const { pointer, change } of lowering) expect(text.stdout).toContain(`  ${pointer}  ${change}`)
  expect(text.stdout).toContain('\nReceipt\n')
})
