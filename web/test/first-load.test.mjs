// What a browser loads before the talk page can be used.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startWeb } from './web-server.mjs'

const MOST_KIB = 400

test('the scripts and styles of the talk page are small', async t => {
  const { url } = await startWeb(t)
  const html = await (await fetch(url)).text()
  const links = [...html.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+\.(?:js|css)[^"]*)"/g)].map(([, link]) => link)
  const sizes = await Promise.all([...new Set(links)].map(async link => gzipSync(await bytesAt(url + link)).length))
  assert.ok(sizes.length > 3)
  const kib = Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1024)
  assert.ok(kib <= MOST_KIB, `${kib} KiB`)
  t.diagnostic(`${kib} KiB`)
})

async function bytesAt(url) {
  const answer = await fetch(url)
  assert.equal(answer.status, 200, url)
  return new Uint8Array(await answer.arrayBuffer())
}
