// Each promise of SECURITY.md names code and tests that exist.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(path.join(root, 'SECURITY.md'), 'utf8')
const promises = page
  .slice(page.indexOf('## What is promised'), page.indexOf('## What is not promised'))
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| promise'))
const pathsOf = cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)

test('each promise is kept in a file and shown by a test', () => {
  expect(promises.length).toBeGreaterThan(10)
  for (const promise of promises) {
    const [, , keptIn, shownBy] = promise.split('|')
    const [code, tests] = [pathsOf(keptIn), pathsOf(shownBy)]
    expect([promise, code.length > 0, tests.length > 0]).toEqual([promise, true, true])
    expect([...code, ...tests].filter(file => !existsSync(path.join(root, file)))).toEqual([])
    expect(tests.filter(file => !/(^|\/)(tests?|__test__|fuzz)\//.test(file))).toEqual([])
  }
})
