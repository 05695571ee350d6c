import { cookies } from 'next/headers'
import { Talk } from '@/components/talk/talk'
import { voiceUrl } from '@/lib/features'
import { providerKind } from '@/lib/provider'
import { hasSessionCookie } from '@/lib/session-cookie'

export default async function Page() {
  const names = (await cookies()).getAll().map(({ name }) => name)
  return <Talk provider={providerKind()} voiceUrl={voiceUrl()} isKnown={hasSessionCookie(names)} />
}
