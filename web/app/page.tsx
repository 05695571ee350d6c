import { Chat } from '@/components/chat'
import { ProviderBanner } from '@/components/provider-banner'
import { providerKind } from '@/lib/provider'

// The environment of the running server decides, not that of the build.
export const dynamic = 'force-dynamic'

export default function Page() {
  return (
    <div className="page">
      <header>
        <h1>Toolgate</h1>
        <span>Text chat</span>
      </header>
      <ProviderBanner provider={providerKind()} />
      <Chat />
    </div>
  )
}
