import { Notice } from '@/components/ui/notice'
import type { ProviderKind } from '@/lib/provider'

/** States that no real model is behind the chat. */
export function ProviderBanner({ provider }: { provider: ProviderKind }) {
  switch (provider) {
    case 'openai':
      return null
    case 'simulator':
      return (
        <Notice>
          <strong>Simulator in use.</strong> Answers follow a script; tools and gate are real.
        </Notice>
      )
    case 'none':
      return (
        <Notice tone="stop">
          <strong>No model is set up.</strong> Set <code>OPENAI_API_KEY</code>, or <code>TOOLGATE_OPENAI_BASE_URL</code>{' '}
          to the address of the simulator, and start the server again.
        </Notice>
      )
  }
}
