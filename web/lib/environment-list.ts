/** The entries of a variable that is a list, separated by commas. */
export function environmentList(variable: string): string[] {
  const entries = (process.env[variable] ?? '').split(',').map(entry => entry.trim())
  return entries.filter(entry => entry !== '')
}
