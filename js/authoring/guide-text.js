'use strict'

// The guide of a tool in one file: its description, its parameters, and its `examples`.

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */

/** @param {JsonObject} definition of a tool, with `parameters` as JSON Schema @returns {string} Markdown */
function guideText({ toolId, description = '', parameters = {}, examples = [] }) {
  // The compiler reports a field of another type.
  const shown = (Array.isArray(examples) ? examples : []).map(
    (/** @type {unknown} */ example) => `\`\`\`json\n${JSON.stringify(example)}\n\`\`\``,
  )
  return [
    `# ${toolId}`,
    description,
    '## Parameters',
    parameterLines(parameters, '').join('\n') || 'None.',
    '## Examples',
    shown.join('\n\n') || 'None.',
  ].join('\n\n')
}

/** @param {JsonObject} schema @param {string} indent @returns {string[]} one line for each parameter, nested ones below */
function parameterLines({ properties = {}, required = [] }, indent) {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { description, default: fallback } = schema
    const facts = [
      typeName(schema),
      ...(required.includes(name) ? ['required'] : []),
      ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
    ].filter(Boolean)
    const line = `${indent}- \`${name}\` (${facts.join(', ')})${description === undefined ? '' : `: ${description}`}`
    return [line, ...parameterLines(schema.items ?? schema, `${indent}  `)]
  })
}

/** @param {JsonObject} schema */
const typeName = ({ type, enum: values }) =>
  values === undefined ? [type].flat().filter(Boolean).join(' or ') || 'any' : values.map(String).join(', ')

module.exports = { guideText }
