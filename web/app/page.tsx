import { cookies } from 'next/headers'
import { Talk } from '@/components/talk/talk'
import { voiceUrl } from '@/lib/features'
import { providerKind } from '@/lib/provider'
import { loadReception } from '@/lib/reception'
import { hasSessionCookie } from '@/lib/session-cookie'

export default async function Page() {
  const names = (await cookies()).getAll().map(({ name }) => name)
  // Who is signed in may have a conversation from elsewhere.
  const isKnown = hasSessionCookie(names) || (await loadReception()).authenticate !== undefined
  return <Talk provider={providerKind()} voiceUrl={voiceUrl()} isKnown={isKnown} />
}
