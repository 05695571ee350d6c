// Which host names the routes answer to: local ones in development; in production those that are named, or all, which one line says.
import { jest } from '@jest/globals'
import web from '../../js/web/index.js'

const before = process.env.NODE_ENV
const lines = []
beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(line => void lines.push(line))
})
afterEach(() => {
  process.env.NODE_ENV = before
  jest.restoreAllMocks()
})

const refused = () => Promise.reject(Object.assign(new Error('loaded'), { type: 'AUTH', partialSideEffects: false }))
/** Whether a route looks beyond the name, of each kind of route. */
async function answersTo(host, options = {}) {
  const agent = web.createAgentRoutes(refused, { answer: () => {}, ...options })
  const tool = web.createToolRoute(refused, { session: () => ({}), ...options })
  const ask = (path, init) =>
    new Request(`https://${host}${path}`, { headers: { host, 'content-type': 'application/json' }, ...init })
  const responses = [
    await agent.GET(ask('/api/agent/grants')),
    await tool(ask('/api/tools/x', { method: 'POST', body: '{}' })),
  ]
  return responses.map(({ status }) => status === 401)
}

test('in development: names of this machine', async () => {
  process.env.NODE_ENV = 'development'
  expect(await answersTo('localhost:3000')).toEqual([true, true])
  expect(await answersTo('app.example')).toEqual([false, false])
  expect(await answersTo('app.example', { allowedHosts: ['app.example'] })).toEqual([true, true])
  expect(lines).toEqual([])
})

test('in production: the names that are given; without any, all of them, and one line asks for it', async () => {
  process.env.NODE_ENV = 'production'
  expect(await answersTo('evil.example', { allowedHosts: ['app.example'] })).toEqual([false, false])
  expect(await answersTo('app.example', { allowedOrigins: ['https://app.example'] })).toEqual([true, true])
  expect(lines).toEqual([])
  expect(await answersTo('app.example')).toEqual([true, true])
  expect(lines).toEqual([expect.stringContaining('`allowedHosts`')])
})
