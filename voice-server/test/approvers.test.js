// What approvers decide is shown to the voice user and not asked: no key and no word of theirs confirms it, and they can withdraw it.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildTools, createRegistry, formatReport } from 'toolgate'
import { ConfirmationManager } from '../src/consent/confirmation-manager.js'

const PAY = {
  toolId: 'pay',
  version: '1.0.0',
  description: 'Pays somebody.',
  category: 'action',
  sideEffects: 'writes',
  idempotent: false,
  requiresConfirmation: true,
  allowedModes: ['voice'],
  latencyBudgetMs: 500,
  confirmation: { preview: 'Pay {to}', approvers: { roles: ['manager'], count: 2 } },
  parameters: { type: 'object', additionalProperties: false, properties: { to: { type: 'string' } }, required: ['to'] },
}

/** A session of ada in a voice call whose tool `pay` approvers decide about. */
async function voiceSession(t) {
  const toolsDir = await mkdtemp(join(tmpdir(), 'toolgate-approvers-'))
  await mkdir(join(toolsDir, 'pay'))
  await writeFile(join(toolsDir, 'pay', 'schema.json'), JSON.stringify(PAY))
  await writeFile(join(toolsDir, 'pay', 'guide.md'), '# pay\n\nPays.\n\n## Parameters\n\n- `to`: whom.\n')
  await writeFile(join(toolsDir, 'pay', 'handler.js'), 'export const execute = () => ({ ok: true })\n')
  const report = await buildTools({ toolsDir })
  assert.ok(report.ok, formatReport(report))
  const paid = []
  const execute = ({ args }) => (paid.push(args.to), { ok: true })
  const artifact = join(toolsDir, 'tool_registry.json')
  const registry = await createRegistry({ artifact, handlers: { pay: execute }, audit: 'none' }).load()
  t.after(async () => {
    await registry.close()
    await rm(toolsDir, { recursive: true })
  })
  return { session: await registry.createSession({ mode: 'voice', principal: 'ada' }), paid }
}

/** The confirmations of a call, with what they send to the client, to the model and as results. */
function confirmationsOf(t, session) {
  const sent = { frames: [], notes: [], results: [], asked: [] }
  let heard
  const noted = new Promise(resolve => (heard = resolve))
  const confirmations = new ConfirmationManager({
    session,
    metadataOf: () => ({ title: 'Pay' }),
    sendFrame: frame => sent.frames.push(frame),
    conversation: { remainingMs: () => 0, inputMs: () => 0, answered: () => {} },
    delivery: {
      note: text => sent.notes.push(text),
      noteWhenIdle: text => heard(sent.notes.push(text)),
      contextWhenIdle: text => sent.notes.push(text),
      askWhenIdle: token => sent.asked.push(token),
      showing: () => true,
      confirming: () => true,
    },
    report: result => sent.results.push(result),
    filler: { begin: () => {}, end: () => {} },
    consentOf: text => (text === 'yes' ? 'yes' : null),
    isDuplex: true,
    pollMs: 5,
    guarded: act => act(),
  })
  t.after(() => confirmations.stop())
  return { confirmations, sent, noted }
}

test('no yes of the user counts; the card says how many have confirmed, and the model hears what they decided', async t => {
  const { session, paid } = await voiceSession(t)
  const call = { id: 'call_0000000001', name: 'pay', args: { to: 'bob' } }
  const { error } = await session.execute(call)
  const { confirmations, sent, noted } = confirmationsOf(t, session)
  const { token } = error.confirmation_request
  confirmations.show({ ...error.confirmation_request, callId: call.id }, call)
  confirmations.questionSent(token)
  assert.equal(confirmations.isAnswer('yes'), false)
  assert.equal(await confirmations.keyPressed('1'), false)
  await confirmations.userSaid({ text: 'yes', startMs: 0 })
  await confirmations.confirm(token, 'button')
  assert.deepEqual(
    [paid, sent.notes, sent.results, sent.asked, (await session.listPending()).length],
    [[], [], [], [], 1],
  )
  const [shown] = sent.frames.splice(0)
  const { approvers, confirmations: count } = shown.request
  assert.deepEqual([approvers, count, shown.readBack], [{ roles: ['manager'], count: 2 }, 0, undefined])

  const approve = principal => session.confirm(token, { approver: { principal, roles: ['manager'] }, via: 'page' })
  assert.equal((await approve('cyd')).error.type, 'CONFIRMATION_REQUIRED')
  while (sent.frames.length === 0) await new Promise(resolve => setTimeout(resolve, 5))
  assert.equal(sent.frames[0].request.confirmations, 1)
  assert.equal((await approve('eve')).ok, true)
  await noted
  assert.deepEqual([paid, sent.results.length, sent.notes.length], [['bob'], 1, 1])
  assert.match(sent.notes[0], /confirmed/)
})

test('the form of a server is answered on the page: no key and no word of the user confirms it', async t => {
  const { session } = await voiceSession(t)
  const confirmed = []
  session.confirm = async (token, options) => (
    confirmed.push([token, options]),
    { ok: true, meta: { toolId: 'server_question' } }
  )
  const { confirmations, sent } = confirmationsOf(t, session)
  const token = 'tgc_1'
  const args = { source: 'shop', content: {} }
  confirmations.askNested({
    token,
    tool: 'server_question',
    args,
    preview: 'shop asks: Who?',
    expires: Date.now() + 60_000,
  })
  assert.equal(sent.frames[0].readBack, 'shop asks: Who? Please answer on the page.')
  await confirmations.confirm(token, 'speech')
  await confirmations.confirm(token, 'key')
  assert.deepEqual([confirmed.length, sent.notes.length], [0, 2])
  assert.match(sent.notes[0], /form on the page/)
  const answered = { ...args, content: { who: { name: 'Ada' } } }
  await confirmations.confirm(token, 'button', { args: answered })
  assert.deepEqual(confirmed, [[token, { via: confirmed[0]?.[1].via, args: answered }]])
})

test('the user can withdraw it', async t => {
  const { session, paid } = await voiceSession(t)
  const call = { id: 'call_0000000001', name: 'pay', args: { to: 'bob' } }
  const { error } = await session.execute(call)
  const { confirmations, sent } = confirmationsOf(t, session)
  confirmations.show({ ...error.confirmation_request, callId: call.id }, call)
  const { token } = error.confirmation_request
  await confirmations.deny(token, 'button')
  assert.deepEqual(sent.frames.at(-1), { type: 'confirmationClosed', token, outcome: 'denied', by: 'button' })
  assert.deepEqual([paid, await session.listPending()], [[], []])
})
