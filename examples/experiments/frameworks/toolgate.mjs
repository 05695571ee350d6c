// Toolgate alone: the host's own loop calls the session.
import { createRegistry } from 'toolgate'

async function open({ file }) {
  const registry = await createRegistry({ store: { file: file('sessions.sqlite') }, audit: 'none', onLog() {} }).load()
  return registry.createSession({ mode: 'text', sessionId: 'conversation', principal: 'user-17' })
}
const told = ({ ok, data, error }) => (ok ? data : error.type)

export async function start(host) {
  const session = await open(host)
  await session.beginTurn()
  const { id, args } = host.call
  const answer = await session.execute({ id, name: 'refund', args })
  host.save('shown', { token: answer.error?.confirmation_request?.token, id, args })
  return told(answer)
}

export const approve = async host => told(await (await open(host)).confirm(host.load('shown').token))

/** The process comes back: the host makes the stored call again. */
export async function resume(host) {
  const { id, args } = host.load('shown')
  return told(await (await open(host)).execute({ id, name: 'refund', args }))
}

export async function approveOther(host) {
  const { id, args } = host.load('shown')
  return told(await (await open(host)).confirm({ id, name: 'refund', args: { ...args, amount: 4000 } }))
}

export async function approveAgain(host) {
  const { token } = host.load('shown')
  await (await open(host)).deny(token)
  await start(host)
  return told(await (await open(host)).confirm(token))
}
