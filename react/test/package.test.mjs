// What a bundler and a server find in the package.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import * as parts from 'toolgate-react/parts'
import * as toolgate from 'toolgate-react'

const folder = fileURLToPath(new URL('..', import.meta.url))

test('the package has a hook for each way to talk, and a component for each thing to show', () => {
  assert.deepEqual(Object.keys(toolgate).sort(), ['Confirmations', 'VoiceControls', 'useToolgateChat', 'useVoiceCall'])
})

test('the README shows the page of the recipe, which is built and used elsewhere', async () => {
  const blockOf = async page => /```tsx\n([^]*?)```/.exec(await readFile(new URL(page, import.meta.url), 'utf8'))[1]
  assert.equal(await blockOf('../README.md'), await blockOf('../../docs/next.md'))
})

test('publint finds nothing', async () => {
  const { messages } = await publint({ pkgDir: folder })
  assert.deepEqual(messages, [])
})

test('each module with hooks is one of the client', async () => {
  const names = (await readdir(`${folder}/dist`, { recursive: true })).filter(name => name.endsWith('.js'))
  for (const name of names) {
    const text = await readFile(`${folder}/dist/${name}`, 'utf8')
    const hasHooks = /from 'react'/.test(text) && !name.startsWith('controls')
    assert.ok(!hasHooks || text.startsWith("'use client'"), name)
  }
})

test('what a stylesheet colours exists, and each part has a name in it', async () => {
  const styles = await readFile(`${folder}/styles.css`, 'utf8')
  const used = new Set([...styles.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name))
  for (const name of used) assert.match(styles, new RegExp(`^  ${name}:`, 'm'))
})

test('a server renders the page of a chat and of a voice call', () => {
  function Page() {
    const call = toolgate.useVoiceCall({ url: 'wss://voice.example' })
    const chat = toolgate.useToolgateChat({ api: '/api/agent', id: 'main', call })
    return createElement('main', null, [
      ...chat.messages.map(({ id }) => createElement('section', { key: id })),
      ...call.transcript.map(({ id, text }) => createElement('p', { key: id }, text)),
      createElement(toolgate.Confirmations, { key: 'chat', of: chat }),
      createElement(toolgate.Confirmations, { key: 'call', of: call }),
      createElement(toolgate.VoiceControls, { key: 'voice', of: call }),
      createElement(parts.Grants, { key: 'grants', grants: chat.grants, onRevoke: chat.revoke }),
    ])
  }
  const html = renderToString(createElement(Page))
  assert.match(html, /<section data-toolgate="voice" aria-label="Voice call" data-phase="idle">.*Talk<\/button>/)
})
