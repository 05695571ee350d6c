// `resumeOnly`: attaching to a session only if it exists.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { openGate } from '../support/gate.mjs'
import { afterTest } from '../support/tool-set.mjs'

const TOOLS = { look: { kind: 'read' } }

function storeFile() {
  const folder = mkdtempSync(path.join(tmpdir(), 'resume-only-'))
  afterTest(() => rmSync(folder, { recursive: true }))
  return { file: path.join(folder, 'sessions.sqlite') }
}

for (const [name, store] of [
  ['memory', () => 'memory'],
  ['a file', storeFile],
])
  test(`with ${name}: an unknown session is SESSION_INACTIVE and is not made, a known one is resumed`, async () => {
    const { registry } = await openGate(TOOLS, { store: store() })
    const resume = principal =>
      registry.createSession({ sessionId: 'conversation-1', principal, mode: 'text', resumeOnly: true })
    await expect(resume('ada')).rejects.toMatchObject({ type: 'SESSION_INACTIVE' })
    await registry.createSession({ sessionId: 'conversation-1', principal: 'bob', mode: 'text' })
    await expect(resume('ada')).rejects.toMatchObject({ type: 'AUTH' })
    const session = await resume('bob')
    expect((await session.execute({ name: 'look', args: {} })).ok).toBe(true)
    await session.end()
    await expect(resume('bob')).rejects.toMatchObject({ type: 'SESSION_INACTIVE' })
  })

test('another type than a boolean is refused', async () => {
  const { registry } = await openGate(TOOLS)
  await expect(registry.createSession({ mode: 'text', resumeOnly: 'yes' })).rejects.toThrow(
    '`resumeOnly` must be true or false',
  )
})
