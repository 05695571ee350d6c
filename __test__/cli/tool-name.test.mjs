// Names for new tools.
import { createRequire } from 'node:module'

const { badName, toolIdOf } = createRequire(import.meta.url)('../../js/cli/new/tool-name.js')

test.each([
  ['SayHello', 'say_hello'],
  ['say hello', 'say_hello'],
  ['Größe ändern!', 'grosse_andern'],
  ['2fast', 'tool_2fast'],
  ['_x', 'x'],
  ['HTTPFetch', 'httpfetch'],
  ['x'.repeat(80), 'x'.repeat(64)],
  ['../../etc/passwd', 'etc_passwd'],
])('%p is refused, and %p would do', (name, better) => {
  expect(badName(name).hint).toMatch(new RegExp(`; try \`${better}\`$`))
  expect(badName(better)).toBeNull()
})

test.each(['', '日本', '-', '__'])('%p is refused without a guess', name => {
  expect(badName(name).message).toBe(`\`${name}\` is not a valid tool name`)
  expect(badName(name).hint).not.toContain('try')
})

test.each([
  ['say_hello', 'say_hello'],
  ['say-hello', 'say_hello'],
  ['x', 'x'],
])('%p is a name', (name, toolId) => {
  expect(badName(name)).toBeNull()
  expect(toolIdOf(name)).toBe(toolId)
})
