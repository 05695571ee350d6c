// Each run is a line of the file, with the process that ran it: a test sees how often it ran, and where.
import { appendFile } from 'node:fs/promises'

export async function execute({ args }) {
  await appendFile(process.env.TOOLGATE_TEST_NOTES, `${process.pid} ${args.text}\n`)
  return { ok: true, data: { left: args.text, by: `process ${process.pid}` } }
}
