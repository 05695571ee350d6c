// A certificate for this machine alone, made anew for each run.

import { generate } from 'selfsigned'

const altNames = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' },
]
const extensions = [
  { name: 'basicConstraints', cA: true, critical: true },
  { name: 'subjectAltName', altNames },
]

/** @returns {Promise<{ key: string, cert: string }>} PEM */
export async function makeCertificate() {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'simulator of a test' }], {
    keyType: 'ec',
    extensions,
  })
  return { key, cert }
}
