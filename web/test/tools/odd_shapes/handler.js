// Gives back what it got: a test sees what a form has made of it.
export const execute = async ({ args }) => ({ ok: true, data: args })
