// Each run is a line of the file: a test sees how often it ran.
import { appendFile } from 'node:fs/promises'

export async function execute({ args }) {
  await appendFile(process.env.TOOLGATE_TEST_NOTES, `${process.pid} paid ${args.payee}\n`)
  return { ok: true, data: { paid: args.amount } }
}
