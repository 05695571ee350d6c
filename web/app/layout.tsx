import '@fontsource-variable/ibm-plex-sans/wght.css'
import '@fontsource/ibm-plex-mono/400.css'
import '@fontsource/ibm-plex-mono/500.css'
import 'toolgate-react/styles.css'
import './styles/tokens.css'
import './styles/base.css'
import type { Metadata, Viewport } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { AppShell } from '@/components/shell/app-shell'
import { themeScript } from '@/lib/theme'

export const metadata: Metadata = {
  title: { default: 'Toolgate', template: '%s · Toolgate' },
  description: 'A conversation, by text and by voice, whose tool calls pass through Toolgate.',
}

export const viewport: Viewport = {
  colorScheme: 'light dark',
  interactiveWidget: 'resizes-content',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f6f5f1' },
    { media: '(prefers-color-scheme: dark)', color: '#111413' },
  ],
}

/** Rendered per request: the policy's nonce and the server's features are not known at build time. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined
  return (
    <html lang="en" suppressHydrationWarning>
      <head>
        <script nonce={nonce} suppressHydrationWarning dangerouslySetInnerHTML={{ __html: themeScript }} />
      </head>
      <body>
        <AppShell>{children}</AppShell>
      </body>
    </html>
  )
}
