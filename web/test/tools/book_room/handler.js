// Books by counting: each run gives the next number, so that a test sees how often it ran.
let booked = 0

export function execute({ args }) {
  booked += 1
  return { ok: true, data: { room: args.room, number: booked } }
}
