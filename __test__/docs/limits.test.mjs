// docs/limits.md: its defaults are those of the code, its settings are taken, and its refusal is one of the gate.
import { readFileSync } from 'node:fs'
import vm from 'node:vm'

import { builtInModes, createRegistry } from '../../index.js'
import { openGate } from '../support/gate.mjs'

const PAGE = 'docs/limits.md'
const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8')
const blocks = language =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code)

test('the budgets in the table are those of the modes', () => {
  const of = member => ['text', 'voice', 'webcam'].map(mode => builtInModes[mode][member])
  const [text, voice, webcam] = of('totalCalls')
  expect(page).toContain(`| ${text} in text, ${voice} in voice, ${webcam} in webcam | \`totalCalls\``)
  expect(page).toContain(`| ${of('retrievalCalls').join(', ')} | \`retrievalCalls\``)
  expect(of('perPrincipal')).toEqual([null, null, null])
})

test('the program creates a registry, and a tool with the rate limit refuses as the page says', async () => {
  const [program] = blocks('js')
  const code = program.replace(/^import .*\n/, '').replace('const registry =', 'registry =')
  const made = vm.runInNewContext(`let registry; ${code}; registry`, { createRegistry })
  expect(typeof made.createSession).toBe('function')

  const { rateLimit } = JSON.parse(blocks('json schema.json')[0])
  const refusal = JSON.parse(blocks('json')[0])
  const execute = () => ({ ok: true })
  const { session } = await openGate({ send_mail: { kind: 'write', duplicate: false, rateLimit, execute } })
  let error
  for (let n = 0; n <= rateLimit.calls; n += 1) {
    const s = await session({ principal: 'ada' })
    error = (await s.execute({ id: `call_mail_${1000 + n}`, name: 'send_mail', args: {} })).error
  }
  const wait = ms => text => text.replace(String(ms), '<wait>')
  expect({ ...error, message: wait(error.retryAfterMs)(error.message), retryAfterMs: 0 }).toEqual({
    ...refusal,
    partialSideEffects: false,
    message: wait(refusal.retryAfterMs)(refusal.message),
    retryAfterMs: 0,
  })
})
