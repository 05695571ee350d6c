// A fresh process that checks a text that a pattern must refuse. Started by regex.mjs:
// `node regex-child.mjs <contender> <pattern> <characters>`.
import { createAjv } from './js-gateway/compiled-tool.mjs'
import { median } from './statistics.mjs'
import { toolgate } from './toolgate.mjs'

const [name, pattern, characters] = process.argv.slice(2)
const schema = { type: 'object', properties: { query: { type: 'string', pattern } } }

const compile = {
  js: () => createAjv().compile(schema),
  toolgate: () => {
    const validator = new toolgate.SchemaValidator(schema)
    return value => validator.validate(value).valid
  },
}

const isValid = compile[name]()
const value = { query: `${'a'.repeat(characters - 1)}!` }
const took = Array.from({ length: 21 }, () => {
  const started = performance.now()
  if (isValid(value)) throw new Error(`${name} let it pass`)
  return performance.now() - started
})
console.log(JSON.stringify({ ms: median(took) }))
