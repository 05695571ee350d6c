// After `next build`: puts the browser's files beside the standalone server, which leaves them to a CDN by default,
// so that `.next/standalone` can be copied anywhere and started as it is.
import { cp } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const built = fileURLToPath(new URL('../.next/', import.meta.url))
await cp(`${built}static`, `${built}standalone/.next/static`, { recursive: true })
