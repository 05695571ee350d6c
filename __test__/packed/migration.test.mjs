// Programs of `__test__/migration` in a project that has only the packed packages.
import { readFile } from 'node:fs/promises'
import { createProject, packPackage } from './project.mjs'

const CASES = [
  ['error-types.mjs', ['NOT_FOUND', 'no record', 'END_VOICE_SESSION', 'function']],
  ['embedded-services.mjs', [true, true]],
  ['mode-clamped.mjs', ['voice', 1]],
  ['prompts.mjs', [true, true, true]],
  ['provider-adapters.mjs', ['echo', 'INTEGER']],
  ['required.cjs', ['TRANSIENT', 'text']],
  ['voice-session-state.mjs', 'voice'],
]

let packed
let tools
let project

beforeAll(async () => {
  packed = await packPackage()
  tools = await packPackage(['-w', 'toolgate-tools'])
  const programs = [...CASES.map(([file]) => file), 'voice-config.mjs'].map(async file => [
    file,
    await readFile(new URL(`../migration/programs/${file}`, import.meta.url), 'utf8'),
  ])
  project = await createProject({
    tarball: packed.tarball,
    dependencies: { 'toolgate-tools': `file:${tools.tarball}` },
    files: Object.fromEntries(await Promise.all(programs)),
  })
})

afterAll(async () => {
  await project?.remove()
  await packed?.remove()
  await tools?.remove()
})

test.each(CASES)('%s', async (file, expected) => {
  expect(JSON.parse(await project.run('node', [file]))).toEqual(expected)
})

test('the budgets of a voice server are packed', async () => {
  const [, voice] = JSON.parse(await project.run('node', ['voice-config.mjs']))
  expect(voice).toMatchObject({ retrievalCalls: 2, totalCalls: 3, topK: 3 })
})
