// Never answers by itself. Notifies the test's own server when it starts and when its signal aborts.
const tell = event => fetch(`${process.env.TOOLGATE_TEST_LISTENER}/${event}`, { method: 'POST' })

export async function execute({ signal }) {
  const aborted = new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
  await tell('started')
  await aborted
  await tell('aborted')
  return { ok: true }
}
