// `toolgate call`, `toolgate completion`, and what help and version load.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { runNode, toolgate, MAIN } from '../support/command.mjs'
import { project } from '../support/project.mjs'

const tool = (fields, execute) => `import { defineTool } from 'toolgate'
export default defineTool({ description: 'A tool of the tests.', ${fields},
  parameters: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'], additionalProperties: false },
  execute: ${execute} })\n`

const LOUD = `import { execFileSync } from 'node:child_process'
import { writeSync } from 'node:fs'
console.log('loaded')
${tool(
  "sideEffects: 'none'",
  `() => {
    console.log('a log')
    process.stdout.write('written')
    writeSync(1, 'by a descriptor')
    execFileSync('echo', ['by a child'], { stdio: 'inherit' })
    return { ok: true, data: 'quiet' }
  }`,
)}`

const built = async () => {
  const made = project()
  made.write(
    'tools/add_it/tool.js',
    tool(
      "sideEffects: 'none', allowedModes: ['text', 'voice']",
      '({ args, mode }) => ({ ok: true, data: { sum: args.n + 1, mode } })',
    ),
  )
  made.write('tools/write_it/tool.js', tool("sideEffects: 'writes'", '({ args }) => ({ ok: true, data: args.n })'))
  made.write(
    'tools/ask_it/tool.js',
    tool(
      "sideEffects: 'read_only', requires: ['orders']",
      '({ services }) => ({ ok: true, data: services.orders.first })',
    ),
  )
  made.write(
    'tools/throw_later/tool.js',
    tool(
      "sideEffects: 'none'",
      `async () => {
        setTimeout(() => { throw new Error('a stray error') }, 1)
        await new Promise(resolve => setTimeout(resolve, 30))
        return { ok: true, data: 'fine' }
      }`,
    ),
  )
  made.write('services.mjs', "export default { orders: { first: 'A-17' } }\n")
  const { stdout, code } = await toolgate(['build'], { cwd: made.home })
  if (code !== 0) throw new Error(stdout)
  return made.home
}

test('a stray error of a handler is told, and the call is answered', async () => {
  const { code, stdout, stderr } = await toolgate(['call', 'throw_later', '{"n":1}'], { cwd: await built() })
  expect([code, JSON.parse(stdout).data]).toEqual([0, 'fine'])
  expect(stderr).toContain('the handler of `throw_later` threw: Error: a stray error')
})

test('what a handler prints, in any way, is not in the answer', async () => {
  const home = await built()
  mkdirSync(join(home, 'tools/loud'))
  writeFileSync(join(home, 'tools/loud/tool.js'), LOUD)
  expect((await toolgate(['build'], { cwd: home })).code).toBe(0)
  const { code, stdout, stderr } = await toolgate(['call', 'loud', '{"n":1}'], { cwd: home })
  expect([code, JSON.parse(stdout).data]).toEqual([0, 'quiet'])
  for (const text of ['loaded', 'a log', 'written', 'by a descriptor', 'by a child']) expect(stderr).toContain(text)
})

test('a call goes through the gate, in a mode, with services, and its error is exit code 1', async () => {
  const home = await built()
  const call = async (...words) => {
    const { code, stdout, stderr } = await toolgate(['call', ...words], { cwd: home })
    const { data, error } = stdout === '' ? {} : JSON.parse(stdout)
    return [code, data ?? error?.type ?? stderr]
  }
  expect(await call('add_it', '{"n":1}')).toEqual([0, { sum: 2, mode: 'text' }])
  expect(await call('add_it', '{"n":1}', '--mode', 'voice')).toEqual([0, { sum: 2, mode: 'voice' }])
  expect(await call('add_it', '{"n":0}')).toEqual([1, 'VALIDATION'])
  expect(await call('add_it', '{"n":')).toEqual([1, 'VALIDATION'])
  expect(await call('add_them')).toEqual([1, 'NOT_FOUND'])
  expect(await call('write_it', '{"n":1}')).toEqual([1, 'CONFIRMATION_REQUIRED'])
  expect(await call('write_it', '{"n":1}', '--confirm')).toEqual([0, 1])
  expect(await call('ask_it', '{"n":1}', '--services', 'services.mjs')).toEqual([0, 'A-17'])
  const shape = async (...words) => JSON.parse((await toolgate(['call', ...words], { cwd: home })).stdout)
  const [plain, confirmed] = await Promise.all([shape('add_it', '{"n":1}'), shape('write_it', '{"n":1}', '--confirm')])
  expect(Object.keys(confirmed)).toEqual(Object.keys(plain))
  expect(confirmed.meta?.callId).toBe(plain.meta?.callId)
  // Services hold timers and connections; the command ends in spite of them, also if it fails.
  writeFileSync(join(home, 'held.mjs'), `setInterval(() => {}, 1000)\nexport default { orders: { first: 'B-1' } }\n`)
  expect(await call('ask_it', '{"n":1}', '--services', 'held.mjs')).toEqual([0, 'B-1'])
  expect((await call('ask_it', '{}', '--mode', 'voise', '--services', 'held.mjs'))[0]).toBe(2)
  expect(await call('add_it', '{}', '--mode', 'voise')).toEqual([
    2,
    'toolgate: there is no mode `voise`\ndid you mean `voice`?\n',
  ])
})

test('without a tool set it says what to do', async () => {
  const { home } = project()
  const { code, stderr } = await toolgate(['call', 'add_it'], { cwd: home })
  expect(code).toBe(1)
  expect(stderr).toContain('build the tools with `toolgate build`')
})

test('bash completes commands and their options', async () => {
  const { home, write } = project()
  const { stdout } = await toolgate(['completion', 'bash'], { cwd: home })
  write('completion.bash', stdout)
  const completed = (...words) =>
    spawnSync(
      'bash',
      [
        '-c',
        `source completion.bash; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _toolgate; echo "\${COMPREPLY[@]}"`,
      ],
      { cwd: home, encoding: 'utf8' },
    ).stdout.trim()
  expect(completed('toolgate', 'de')).toBe('describe')
  expect(completed('toolgate', 'build', '--de')).toBe('--deny-warnings')
  expect(completed('toolgate', 'new', '--z')).toBe('--zod')
  for (const shell of ['zsh', 'fish']) {
    expect((await toolgate(['completion', shell], { cwd: home })).stdout).toContain('completion')
  }
})

test('--version loads no module but the command, and a command does not load the others', async () => {
  const { home, write } = project()
  write(
    'loaded.cjs',
    `process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache).filter(file => !file.endsWith('loaded.cjs')))))`,
  )
  const loaded = async (...words) => {
    const { stderr } = await runNode(['--require', './loaded.cjs', MAIN, ...words], { cwd: home })
    return JSON.parse(stderr.trim().split('\n').at(-1))
  }
  const version = await loaded('--version')
  expect(version.map(file => file.replace(/.*\/(?=[^/]+\/[^/]+$)/, ''))).toEqual([
    'cli/main.js',
    'cli/exit.js',
    expect.stringMatching(/\/package\.json$/),
  ])
  for (const words of [['--help'], ['build', '--help']]) {
    const files = await loaded(...words)
    expect(
      files.filter(file => file.endsWith('.node') || /zod|orama|oxc|chokidar|modelcontextprotocol/.test(file)),
    ).toEqual([])
  }
  expect((await loaded('build', '--help')).some(file => file.endsWith('commands/watch.js'))).toBe(false)
})
