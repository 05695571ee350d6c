// Throws outside of its promise while the call goes on.
export async function execute() {
  setTimeout(() => {
    throw new Error('a stray error')
  }, 1)
  await new Promise(resolve => setTimeout(resolve, 30))
  return { ok: true, data: 'fine' }
}
