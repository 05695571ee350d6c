import { Chat } from '@/components/chat'
import { ProviderBanner } from '@/components/provider-banner'
import { providerKind } from '@/lib/provider'
import './styles/chat.css'

export default function Page() {
  return (
    <div className="page">
      <h1 className="visually-hidden">Talk</h1>
      <ProviderBanner provider={providerKind()} />
      <Chat />
    </div>
  )
}
