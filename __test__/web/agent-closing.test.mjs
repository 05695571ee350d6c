// A page that waits for news does not keep a server from ending, of which only the process knows.
import { openAgent } from '../support/agent.mjs'

test('a watch ends at a signal that the host handles, and its connection with it', async () => {
  const { page } = await openAgent(['Hello.'])
  const one = page()
  await one.say('hi')
  const before = process.listenerCount('SIGTERM')
  const cut = new AbortController()
  const unhandled = one.fetch('POST', 'confirmations/watch', { known: [] }, { signal: cut.signal })
  await new Promise(resolve => setTimeout(resolve, 100))
  expect(process.listenerCount('SIGTERM')).toBe(before)
  cut.abort()
  await unhandled.catch(() => {})

  const handle = () => {}
  process.on('SIGTERM', handle)
  try {
    const watching = one.fetch('POST', 'confirmations/watch', { known: [] })
    await new Promise(resolve => setTimeout(resolve, 100))
    process.emit('SIGTERM')
    expect((await watching).headers.get('connection')).toBe('close')
    const later = await one.fetch('POST', 'confirmations/watch', { known: [] })
    expect([later.status, later.headers.get('connection')]).toEqual([200, 'close'])
  } finally {
    process.off('SIGTERM', handle)
  }
})
