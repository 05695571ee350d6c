import { ServiceError } from '../../tools/_services/service-errors.js'
import * as handler from '../../tools/validate_email/handler.js'
import { INJECTION, failing, takes, toolRunner } from './support/run-tool.mjs'

const check = toolRunner(handler, 'validate_email')
const reasonOf = async email => (await check({ email })).data.reason

test('a good address', async () => {
  expect(await check({ email: 'ada@example.com' })).toEqual({
    ok: true,
    data: { email: 'ada@example.com', valid: true, reason: null, looked_up: false },
  })
})

test.each([
  ['ada+tag@sub.example.co.uk'],
  ['"ada b"@example.com'],
  ['a@xn--bcher-kva.example'],
  [`${'a'.repeat(64)}@x.org`],
])('%s is valid', async email => {
  expect(await reasonOf(email)).toBeNull()
})

test.each([
  ['', 'it is empty'],
  ['   ', 'it is empty'],
  [' ada@example.com', 'it begins or ends with white space'],
  ['ada at example.com', 'there is no `@` in it'],
  ['@example.com', 'there is no name before the `@`'],
  ['ada@', 'there is no domain after the `@`'],
  ['ada b@example.com', 'there is white space in it'],
  ['a@b@example.com', 'there is more than one `@` in it'],
  ['ada..b@example.com', 'there are two dots in a row'],
  [`${'a'.repeat(65)}@example.com`, 'the name before the `@` is longer than 64 characters'],
  ['ada@intranet', 'its domain has no ending, such as `.com`'],
  ['ada@10.0.0.1', 'its domain ends in a number'],
  ['ada@example.c', 'the ending of its domain is a single letter'],
  ['ada@-example.com', 'it is not a well-formed e-mail address'],
  ['ada@example.com\nbcc: eve@example.com', 'there is white space in it'],
])('%j: %s', async (email, reason) => {
  expect(await check({ email })).toEqual({ ok: true, data: { email, valid: false, reason, looked_up: false } })
})

test('instructions and long texts are only bad addresses', async () => {
  expect((await check({ email: INJECTION })).data.valid).toBe(false)
  expect((await check({ email: `${'@'.repeat(1000)}` })).data.valid).toBe(false)
  expect(takes('validate_email', { email: 'a'.repeat(1001) })).toBe(false)
})

describe('with a look-up of mail servers', () => {
  const lookUp = (accepts, email = 'ada@example.com') => check({ email }, { services: { mail_servers: { accepts } } })

  test('the domain is asked for, and decides', async () => {
    const asked = []
    const accepts = async domain => (asked.push(domain), domain === 'example.com')
    expect((await lookUp(accepts)).data).toEqual({
      email: 'ada@example.com',
      valid: true,
      reason: null,
      looked_up: true,
    })
    const email = '"a@b"@nowhere.example'
    expect((await lookUp(accepts, email)).data).toEqual({
      email,
      valid: false,
      reason: 'the domain has no mail server',
      looked_up: true,
    })
    expect((await lookUp(accepts, 'no address')).data.valid).toBe(false)
    expect(asked).toEqual(['example.com', 'nowhere.example'])
  })

  test('a failed look-up is no judgement about the address', async () => {
    const response = await lookUp(failing(new ServiceError('TIMEOUT', 'dns 10.0.0.1')))
    expect(response).toMatchObject({ ok: false, error: { type: 'TRANSIENT', retryable: true } })
    expect(JSON.stringify(response)).not.toContain('10.0.0.1')
    expect(await lookUp(async () => 'yes')).toMatchObject({ ok: false, error: { type: 'TRANSIENT' } })
    await expect(lookUp(failing(new RangeError('bug')))).rejects.toThrow(RangeError)
  })
})
