// Confirmations elsewhere: events and links, as a host uses them.
import { createRegistry, type ConfirmationEvent, type PendingConfirmation } from 'toolgate'
import { createConfirmationRoute, type LinkAnswer } from 'toolgate/web'

export async function notify(post: (text: string, url: string | null) => Promise<void>): Promise<void> {
  const registry = createRegistry({
    linkSecret: '0123456789abcdef',
    onConfirmation: async (event: ConfirmationEvent) => {
      const { id, sessionId } = event
      if (event.type !== 'requested') return
      const link: string | null = await registry.confirmationLink(id, {
        sessionId,
        baseUrl: 'https://app.example/confirm',
      })
      await post(`${event.principal ?? 'unknown'}: ${event.preview ?? ''}`, link)
      // @ts-expect-error an event has no token
      void event.token
    },
  })
  // @ts-expect-error a link needs its session and its route
  await registry.confirmationLink('tgq_0', { ttlMs: 1000 })
  const route: (request: Request) => Promise<Response> = createConfirmationRoute(registry, {
    session: ({ principal, tool }) => ({ roles: principal === 'ada' ? [tool] : [] }),
  })
  // @ts-expect-error the link names the session
  createConfirmationRoute(registry, { sessionId: 'conversation' })
  const answer = (await (await route(new Request('https://app.example/confirm'))).json()) as LinkAnswer
  if (answer.state === 'pending') void answer.confirmation.arguments[0]?.value
  // @ts-expect-error only a confirmed call has an outcome
  else void answer.ok
}

export const idOf = ({ id }: PendingConfirmation): string => id
