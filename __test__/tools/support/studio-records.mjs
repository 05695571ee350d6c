// The shipped records, read as plain JSON.
import { readFileSync } from 'node:fs'

export default JSON.parse(readFileSync(new URL('../../../tools/_services/data/studio.json', import.meta.url), 'utf8'))
