import { Talk } from '@/components/talk/talk'
import { voiceUrl } from '@/lib/features'
import { providerKind } from '@/lib/provider'

export default function Page() {
  return <Talk provider={providerKind()} voiceUrl={voiceUrl()} />
}
