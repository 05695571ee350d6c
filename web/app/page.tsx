import { cookies, headers } from 'next/headers'
import { Inspectable } from '@/components/talk/call-lines'
import { Talk } from '@/components/talk/talk'
import { inspectorIsOn, voiceUrl } from '@/lib/features'
import { isLocalRequest } from '@/lib/inspector/access'
import { hasInspectorSecret } from '@/lib/inspector/secret'
import { providerKind } from '@/lib/provider'
import { loadReception } from '@/lib/reception'

/** The cookie of `createAgentRoutes`, over HTTPS with a prefix. */
const COOKIE = /^(__Host-)?toolgate_session$/

interface PageProps {
  /** `chat`: which of the user's chats. */
  searchParams: Promise<{ chat?: string | string[] }>
}

export default async function Page({ searchParams }: PageProps) {
  const { chat } = await searchParams
  const hasCookie = (await cookies()).getAll().some(({ name }) => COOKIE.test(name))
  // Who is signed in may have a conversation from elsewhere.
  const isKnown = hasCookie || (await loadReception()).authenticate !== undefined
  const given = await headers()
  const mayInspect = inspectorIsOn() && isLocalRequest(given) && hasInspectorSecret(given)
  return (
    <Inspectable mayInspect={mayInspect}>
      <Talk provider={providerKind()} voiceUrl={voiceUrl()} isKnown={isKnown} chatId={chatId(chat)} />
    </Inspectable>
  )
}

/** The first chat, if the address names none that can be. */
const chatId = (name: string | string[] | undefined): string | undefined =>
  typeof name === 'string' && /^[\w-]{1,128}$/.test(name) ? name : undefined
