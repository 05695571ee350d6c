// The log of the servers: lines at levels, as JSON.
import { spawnSync } from 'node:child_process'

import { createLogger, logLevelOf } from '../../js/http/index.js'

function written(level) {
  const lines = []
  const logger = createLogger({ level, write: line => lines.push(line) })
  for (const name of ['error', 'warn', 'info']) logger[name](`a ${name}`, { port: 8788 })
  expect(lines.every(line => line.endsWith('}\n') && !line.slice(0, -1).includes('\n'))).toBe(true)
  return lines.map(line => JSON.parse(line))
}

test('each level leaves out what is less severe', () => {
  const messages = level => written(level).map(({ message }) => message)
  expect(['error', 'warn', 'info', undefined].map(messages)).toEqual([
    ['a error'],
    ['a error', 'a warn'],
    ['a error', 'a warn', 'a info'],
    ['a error', 'a warn', 'a info'],
  ])
})

test('a line has its time, level, message and fields', () => {
  const [line] = written('error')
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(line).toEqual({ time, level: 'error', message: 'a error', port: 8788 })
})

test('a text with a line break is one line', () => {
  const lines = []
  createLogger({ write: line => lines.push(line) }).warn('a\nb', { reason: 'c\u2028\nd' })
  expect(lines[0].split('\n')).toHaveLength(2)
  expect(JSON.parse(lines[0])).toMatchObject({ message: 'a\nb', reason: 'c\u2028\nd' })
})

test('the level of the environment', () => {
  expect([{}, { TOOLGATE_LOG: '' }, { TOOLGATE_LOG: 'warn' }].map(logLevelOf)).toEqual(['info', 'info', 'warn'])
  expect(() => logLevelOf({ TOOLGATE_LOG: 'loud' })).toThrow('TOOLGATE_LOG `loud` must be error, warn, info')
})

test('a wrong level ends the start of the voice server', () => {
  const env = { PATH: process.env.PATH, PORT: '0', TOOLGATE_LOG: 'loud' }
  const { status, stderr } = spawnSync(process.execPath, ['voice-server/main.js'], { env, encoding: 'utf8' })
  expect(status).toBe(1)
  expect(JSON.parse(stderr)).toMatchObject({ level: 'error', message: expect.stringContaining('TOOLGATE_LOG `loud`') })
})
