// After `next build`: puts the browser's files beside the standalone server, which leaves them to a CDN by default,
// so that `.next/standalone` can be copied anywhere and started as it is.
import { cp } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const web = fileURLToPath(new URL('..', import.meta.url))
await cp(`${web}.next/static`, `${web}.next/standalone/.next/static`, { recursive: true })
await cp(`${web}public`, `${web}.next/standalone/public`, { recursive: true })
