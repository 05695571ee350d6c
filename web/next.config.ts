import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NextConfig } from 'next'

// The app is its own root: the repository above it has a lock file too, and would be traced and copied along.
const root = dirname(fileURLToPath(import.meta.url))

// The native addon, guide files, prompts and handlers are found at run time by path, which no bundler can follow.
const packageFiles = [
  './node_modules/toolgate/*.{js,node,json}',
  './node_modules/toolgate/{js,tools,prompts}/**/*',
]

const headers = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'Referrer-Policy', value: 'no-referrer' },
  {
    // A model's answer may hold links and images of anybody's choosing: nothing is loaded from elsewhere on its behalf.
    key: 'Content-Security-Policy',
    value: "default-src 'self'; img-src 'self' data:; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'; object-src 'none'",
  },
]

const config: NextConfig = {
  output: 'standalone',
  outputFileTracingRoot: root,
  outputFileTracingIncludes: { '/*': packageFiles },
  turbopack: { root },
  serverExternalPackages: ['toolgate', '@orama/orama', '@orama/stopwords', 'ical.js'],
  poweredByHeader: false,
  // No image is resized here: the library for it stays out of the standalone server.
  images: { unoptimized: true },
  // React's development build evaluates code for its stack traces, which the policy forbids.
  headers: async () => (process.env.NODE_ENV === 'production' ? [{ source: '/:path*', headers }] : []),
}

export default config
