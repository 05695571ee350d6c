// The page escapes the characters that the core escapes, and no others: compared for every character that there is.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRegistry, hiddenCharacters } from 'toolgate'
import { HIDDEN_CHARACTERS } from '../dist/text/hidden-characters.js'
import { visible } from '../dist/text/visible-text.js'
import { noteTools } from './note-tools.mjs'

const PLANE = 0x10000

describe('visible text', () => {
  test('escapes the characters that the core names', () => {
    assert.equal(HIDDEN_CHARACTERS, hiddenCharacters())
  })

  test('is what the core shows, for every character', async t => {
    const registry = createRegistry({ artifact: await noteTools(t) })
    await registry.load()
    t.after(() => registry.close({ timeoutMs: 0 }))
    const session = await registry.createSession({ mode: 'text' })
    let escaped = 0
    for (let from = 0; from < 17 * PLANE; from += PLANE / 16) {
      const codes = Array.from({ length: PLANE / 16 }, (_, at) => from + at).filter(
        code => code < 0xd800 || code > 0xdfff,
      )
      const text = codes.map(code => `a${String.fromCodePoint(code)}`).join('')
      const [row] = session.showArguments('leave_note', { text })?.rows ?? []
      if (text === '') continue
      assert.ok(visible.text(text) === row.value, `the characters from ${from.toString(16)}`)
      const json = visible.json({ [text]: text })
      assert.ok(JSON.parse(json)[text] === text)
      escaped += json.length > JSON.stringify({ [text]: text }, null, 2).length ? 1 : 0
    }
    assert.ok(escaped > 10)
  })

  test('is JSON with the same value, in lines of the indentation only', () => {
    const value = { 'a\u202e': ['\u2028', 'x\ny', '\u200b\u00a0\u007f', 'é 👍 שלום'], n: null }
    const json = visible.json(value)
    assert.deepEqual(JSON.parse(json), value)
    assert.equal(json.split('\n').length, 9)
    assert.doesNotMatch(json.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0]/u)
    assert.equal(visible.json(undefined), 'undefined')
  })
})
