// A short run of `npm run test:soak`: calls of every fate, each answered once, and a process that ends by itself.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SOAK = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url))

test('twenty thousand calls of every fate', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', SOAK, '20000'], {
    encoding: 'utf8',
    timeout: 240_000,
  })
  expect(stderr).toBe('')
  expect(stdout).toContain('memory is flat, and every call was answered')
  expect(status).toBe(0)
})
