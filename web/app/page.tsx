import { cookies } from 'next/headers'
import { Talk } from '@/components/talk/talk'
import { voiceUrl } from '@/lib/features'
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
  return <Talk provider={providerKind()} voiceUrl={voiceUrl()} isKnown={isKnown} chatId={chatId(chat)} />
}

/** The first chat, if the address names none that can be. */
const chatId = (name: string | string[] | undefined): string | undefined =>
  typeof name === 'string' && /^[\w-]{1,128}$/.test(name) ? name : undefined
