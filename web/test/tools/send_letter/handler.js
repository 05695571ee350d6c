// Answers with what it was given: a test compares it with what the card showed.
export const execute = ({ args }) => ({ ok: true, data: { sent: args.to.length, characters: args.body.length } })
