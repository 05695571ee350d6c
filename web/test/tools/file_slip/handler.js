// Each run is a line of the file: a test sees how often it ran. A slip that says `jam` is not filed.
import { appendFile } from 'node:fs/promises'

export async function execute({ args }) {
  if (args.text === 'jam')
    return { ok: false, error: { type: 'CONFLICT', message: 'the drawer is jammed', retryable: false } }
  await appendFile(process.env.TOOLGATE_TEST_NOTES, `${process.pid} filed ${args.text}\n`)
  return { ok: true, data: { filed: args.text } }
}
