import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NextConfig } from 'next'

// The app is its own root: the repository above it has a lock file too, and would be traced and copied along.
const root = dirname(fileURLToPath(import.meta.url))

// The native addon, guide files, prompts and handlers are found at run time by path, which no bundler can follow.
const packageFiles = [
  './node_modules/toolgate/*.{js,node,json}',
  './node_modules/toolgate/{js,tools,prompts}/**/*',
  './node_modules/toolgate-tools/**/*',
]

// What tools and embedded services import: as handlers are found by path, tracing does not see their imports.
const handlerPackages = ['@orama/orama', '@orama/stopwords', 'ical.js', 'libphonenumber-js']
// Loaded when traces are exported.
const tracePackages = ['@opentelemetry']
// Loaded for a tool set with sources: the client of the MCP SDK, and what it needs.
const sourcePackages = [
  ...['@modelcontextprotocol', 'eventsource', 'eventsource-parser', 'jose', 'pkce-challenge', 'zod'],
  ...['cross-spawn', 'path-key', 'shebang-command', 'shebang-regex', 'which', 'isexe'],
]
const loadedPackageFiles = [...handlerPackages, ...tracePackages, ...sourcePackages].map(
  name => `./node_modules/${name}/**/*`,
)

// What holds for everything that is served; the Content-Security-Policy is made per request, in `lib/request-guard.ts`.
const headers = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  // Also of a page that is served before the server's start has ended, which has no policy yet.
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'Referrer-Policy', value: 'no-referrer' },
  { key: 'Permissions-Policy', value: 'microphone=(self), camera=(self), display-capture=(self), geolocation=()' },
]

const config: NextConfig = {
  output: 'standalone',
  outputFileTracingRoot: root,
  outputFileTracingIncludes: { '/*': [...packageFiles, ...loadedPackageFiles] },
  turbopack: { root },
  serverExternalPackages: ['toolgate', 'toolgate-tools'],
  poweredByHeader: false,
  // No image is resized here: the library for it stays out of the standalone server.
  images: { unoptimized: true },
  headers: async () => [{ source: '/:path*', headers }],
}

export default config
