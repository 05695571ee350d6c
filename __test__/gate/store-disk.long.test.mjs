// Sessions in a file whose disk is full, or takes no writes: nothing runs that could not be recorded before, nothing that ran
// is lost silently or run twice, and once the disk takes writes again everything goes on in the same process.
import { eventually } from '../support/gate.mjs'
import { SmallDisk, missing } from '../support/small-disk.mjs'

/** Once the disk takes writes again: the store is asked a second later at the latest. */
async function isUsedAgain(disk) {
  let asked = 0
  await eventually(async () => {
    const { ok, warnings } = await disk.call('look', `call_again_${++asked}`, { what: `again ${asked}` })
    return ok && warnings === undefined
  }, 'the store is used again')
}

const on = kind => (missing[kind] ? test.skip : test)
const refused = { ok: false, type: 'TRANSIENT', retryable: true, partialSideEffects: false }

/** The error of `createSession` for each kind of full disk. */
const TOLD = {
  tmpfs: /can't grow: the disk is full/,
  limit: /can't be read or written: the disk fails or does not allow it to grow/,
}

/** The child warns of its store, and a few times only: an outage does not flood the log. */
function expectOnlyStoreWarnings(stderr) {
  const warnings = stderr
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  expect(warnings.length).toBeGreaterThan(0)
  expect(warnings.length).toBeLessThan(20)
  for (const warning of warnings)
    expect(warning).toMatchObject({ level: expect.stringMatching(/warn|error/), at: expect.any(String) })
}

describe.each(['tmpfs', 'limit'])('a disk without space (%s)', kind => {
  on(kind)('refuses writes before they start, lets reads go on, and goes on by itself', async () => {
    const disk = await SmallDisk.start(kind)
    await disk.order('attach', { sessionId: 's' })
    expect(await disk.call('pay', 'call_000001', { what: 'before' })).toMatchObject({ ok: true })
    await disk.fill()
    expect(await disk.order('writes')).toMatch(/ENOSPC|EFBIG/)

    for (const _again of [1, 2])
      expect(await disk.call('pay', 'call_000002', { what: 'meanwhile' })).toMatchObject(refused)
    expect(await disk.call('look', 'call_000003', { what: 'it' })).toMatchObject({
      ok: true,
      data: { seen: 'it' },
      warnings: ['store_unavailable'],
    })
    expect(await disk.order('attach', { sessionId: 'another' })).toEqual({
      type: 'TRANSIENT',
      message: expect.stringMatching(TOLD[kind]),
    })
    expect(await disk.order('runs')).toEqual({ before: 1 })

    await disk.free()
    await isUsedAgain(disk)
    expect(await disk.call('pay', 'call_000002', { what: 'meanwhile' })).toMatchObject({
      ok: true,
      data: { paid: 'meanwhile' },
    })
    expect(await disk.call('pay', 'call_000001', { what: 'before' })).toMatchObject({ ok: true, replayed: true })
    expect((await disk.call('look', 'call_000004', { what: 'it' })).warnings).toBeUndefined()
    expect(await disk.order('runs')).toEqual({ before: 1, meanwhile: 1 })
    expectOnlyStoreWarnings(disk.stderr)
  })

  on(kind)('leaves what ended meanwhile unknown, never run again', async () => {
    const disk = await SmallDisk.start(kind)
    await disk.order('attach', { sessionId: 's' })
    const running = disk.call('pay', 'call_000001', { what: 'caught', hold: true })
    await eventually(() => disk.order('isHeld', { what: 'caught' }), 'the handler runs')
    await disk.fill()
    await disk.order('letGo', { what: 'caught' })
    expect(await running).toMatchObject({ ok: true, data: { paid: 'caught' }, warnings: ['unrecorded'] })
    expect(await disk.call('pay', 'call_000001', { what: 'caught', hold: true })).toMatchObject({
      ok: false,
      type: 'TRANSIENT',
    })

    await disk.free()
    await isUsedAgain(disk)
    expect(await disk.call('pay', 'call_000001', { what: 'caught', hold: true })).toMatchObject({
      ok: false,
      type: 'CONFLICT',
      outcome: 'unknown',
    })
    expect(await disk.order('runs')).toEqual({ caught: 1 })
  })
})

on('tmpfs')('a disk that takes no writes any more is told as such, and used again once it does', async () => {
  const disk = await SmallDisk.start('tmpfs')
  await disk.order('attach', { sessionId: 's' })
  // A file system can be made read-only if nothing of it is open: the store lets go of its file when it fails.
  await disk.fill()
  expect(await disk.call('pay', 'call_000001', { what: 'first' })).toMatchObject(refused)
  await disk.order('remount', { how: 'ro' })
  expect(await disk.order('writes')).toBe('EROFS')

  expect(await disk.call('pay', 'call_000001', { what: 'first' })).toMatchObject(refused)
  expect(await disk.call('look', 'call_000002', { what: 'it' })).toMatchObject({
    ok: true,
    warnings: ['store_unavailable'],
  })
  expect(await disk.order('attach', { sessionId: 'another' })).toEqual({
    type: 'TRANSIENT',
    message: expect.stringMatching(/can't be written to/),
  })

  await disk.order('remount', { how: 'rw' })
  await disk.free()
  await isUsedAgain(disk)
  expect(await disk.call('pay', 'call_000001', { what: 'first' })).toMatchObject({ ok: true, data: { paid: 'first' } })
  expect(await disk.order('runs')).toEqual({ first: 1 })
})
