// `npm start`: which audit and store its servers get, and what it says of them.
import path from 'node:path'

import { opened } from '../../scripts/opened.mjs'
import { root } from '../../scripts/run-step.mjs'
import { auditOf, inspectedOf, storeOf } from '../../scripts/services-settings.mjs'

test('the audit of the environment, as a path that both servers read alike', () => {
  expect(auditOf({})).toBe('stdout')
  expect(auditOf({ TOOLGATE_AUDIT: '' })).toBe('stdout')
  expect(auditOf({ TOOLGATE_AUDIT: 'none' })).toBe('none')
  expect(auditOf({ TOOLGATE_AUDIT: 'logs/audit.jsonl' })).toBe(path.resolve('logs/audit.jsonl'))
})

test('the store of the environment likewise', () => {
  for (const named of ['memory', 'redis://127.0.0.1:6379', 'postgres://127.0.0.1/db'])
    expect(storeOf({ TOOLGATE_STORE: named })).toBe(named)
  expect(storeOf({ TOOLGATE_STORE: 'my.sqlite' })).toBe(path.resolve('my.sqlite'))
})

test('where the audit lines are', () => {
  const services = { webUrl: 'http://w', inspectorUrl: 'http://i', voiceUrl: 'ws://v', voiceHealth: 'http://h' }
  const told = (env, files) =>
    /^ {2}audit +(.*)$/m.exec(opened({ ...services, simulatorUrl: null, audit: auditOf(env) }, files, env))[1]
  const logs = ['.toolgate/logs/voice.log']
  expect(told({}, logs)).toBe('in the logs')
  expect(told({}, [])).toBe('printed here')
  expect(told({ TOOLGATE_AUDIT: 'none' }, logs)).toBe('nowhere: TOOLGATE_AUDIT is `none`')
  expect(told({ TOOLGATE_AUDIT: 'logs/audit.jsonl' }, logs)).toMatch(/^logs\/audit\.jsonl {5}/)
})

test('what the inspector reads of the voice server', () => {
  const own = inspectedOf({})
  expect(own.TOOLGATE_INSPECTOR_CALLS).toBe(path.join(root, '.toolgate', 'inspector-calls.jsonl'))
  expect(own.TOOLGATE_INSPECTOR_AUDIT).toBe(path.join(root, '.toolgate', 'logs', 'voice.log'))
  expect(inspectedOf({ TOOLGATE_AUDIT: 'audit.jsonl' }).TOOLGATE_INSPECTOR_AUDIT).toBe('')
  const named = { TOOLGATE_INSPECTOR_CALLS: 'calls.jsonl', TOOLGATE_INSPECTOR_AUDIT: '/var/log/voice.jsonl' }
  expect(inspectedOf(named)).toEqual({ ...named, TOOLGATE_INSPECTOR_CALLS: path.resolve('calls.jsonl') })
})
