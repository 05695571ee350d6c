export const execute = async () => ({ ok: true, data: { found: 'the crown' } })
