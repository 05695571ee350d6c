// The values of a source's variables, in what its server says beside results.
import { fileURLToPath } from 'node:url'

import { eventually } from '../support/gate.mjs'
import { afterTest } from '../support/tool-set.mjs'
import { Connection, program } from './support.mjs'

const KEY = 'sk-live-0123456789-abcdefghij'
const SERVER = fileURLToPath(new URL('leaking-server.mjs', import.meta.url))
const signal = AbortSignal.timeout(60_000)

/** The server, and what its client hears of it. */
async function connection(era) {
  const { config } = program(SERVER, [], { env: { KEY: '${SECRET_OF_SOURCE}' }, elicitation: 'ask' })
  const heard = { logs: [], news: [], questions: [] }
  const opened = new Connection('leaking', config, {
    ...{ era, env: { ...process.env, SECRET_OF_SOURCE: KEY } },
    log: entry => heard.logs.push(entry),
    onQuestion: params => (heard.questions.push(params), { action: 'decline' }),
  })
  opened.onnews = (method, params) => heard.news.push({ method, params })
  afterTest(() => opened.close())
  await opened.open()
  return { opened, heard }
}

const failure = promise =>
  promise.then(
    () => null,
    ({ message, data }) => ({ message, data }),
  )
const REFUSED = { message: expect.stringContaining('*** may not'), data: { '***': '***' } }

test('reports, logs, error output and questions have none', async () => {
  const { opened, heard } = await connection('legacy')
  const reports = []
  await opened.call('look', {}, { signal, onprogress: report => reports.push(report) })
  expect(reports).toMatchObject([{ message: `${'x'.repeat(992)}***` }])
  expect(heard.news).toEqual([
    { method: 'notifications/message', params: { level: 'error', data: { '***': ['***'] } } },
  ])
  expect(heard.questions).toMatchObject([{ message: 'May I send ***?' }])
  expect(await failure(opened.request('resources/read', { uri: 'a' }, { signal }))).toMatchObject(REFUSED)
  expect(await failure(opened.subscribeTo('a', true, signal))).toMatchObject(REFUSED)
  await opened.close()
  const stderr = () => heard.logs.map(entry => entry.stderr ?? '').join('')
  await eventually(() => stderr().includes('and ends'), 'the error output')
  expect(stderr()).toBe('starts with ***\nand ends with ***\n')
  expect(JSON.stringify([reports, heard])).not.toContain(KEY.slice(0, 8))
})

test('nor have the questions and refusals of 2026-07-28; what goes back to the server stays', async () => {
  const { opened, heard } = await connection('modern')
  const asked = await opened.call('look', { round: true }, { signal })
  expect(asked.inputRequests.ask.params.message).toBe('May I send ***?')
  expect(asked.requestState).toBe(KEY)
  expect((await failure(opened.subscribeTo('a', true, signal)))?.message).toMatch(/^(?!.*sk-live)/)
  expect(JSON.stringify(heard)).not.toContain(KEY.slice(0, 8))
})
