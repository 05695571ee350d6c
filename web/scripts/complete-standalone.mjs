// After `next build`: puts the browser's files beside the standalone server, which leaves them to a CDN by default,
// so that `.next/standalone` can be copied anywhere and started as it is. The server listens to this machine alone unless
// `HOSTNAME` says otherwise, and does not start where strangers could use it by oversight.
import { cp, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const web = fileURLToPath(new URL('..', import.meta.url))
await cp(`${web}.next/static`, `${web}.next/standalone/.next/static`, { recursive: true })

// Next's own handling ends the process before the gate has closed, and not with 0; `lib/shutdown.ts` handles signals.
const LISTENING = "const hostname = process.env.HOSTNAME || '0.0.0.0'"
const CHECKED = `process.env.NEXT_MANUAL_SIG_HANDLE = 'true'
const hostname = process.env.HOSTNAME || '127.0.0.1'
const { allowsAnonymous, requireAuthentication } = require('toolgate/http')
try {
  const authenticate = process.env.TOOLGATE_AUTHENTICATE || undefined
  requireAuthentication({ host: hostname, authenticate, allowAnonymous: allowsAnonymous(process.env) })
} catch (error) {
  console.error(error.message)
  process.exit(1)
}`
const server = `${web}.next/standalone/server.js`
const source = await readFile(server, 'utf8')
if (!source.includes(LISTENING)) throw new Error(`\`${server}\` has not the line that is replaced: ${LISTENING}`)
await writeFile(server, source.replace(LISTENING, CHECKED))
