// Its question waits for three seconds only.
export function execute({ args }) {
  return { ok: true, data: { open: args.side } }
}
