'use strict'

// A server's question as a form: the fields of all its requests, and the arguments of the answer. A pending confirmation of the
// built-in tool `server_question` is one.

const SERVER_QUESTION = 'server_question'

/** @typedef {import('../shared-types.js').JsonObject} JsonObject */
/** @typedef {import('../sources/types.js').ServerQuestionArgs} ServerQuestionArgs */
/** @typedef {{ name: string, request: string, field: string, schema: JsonObject, isRequired: boolean }} AnswerField `name`: in the form */

/** @param {{ tool: string }} question */
const isServerQuestion = ({ tool }) => tool === SERVER_QUESTION

/** The fields of all requests. Those of several have a number before their names. @param {JsonObject} args @returns {AnswerField[]} */
function answerFields(args) {
  const asked = Object.entries(/** @type {ServerQuestionArgs} */ (/** @type {unknown} */ (args)).requests)
  // What only an MCP client answers has no fields.
  const requests = asked.flatMap(([name, request]) =>
    'method' in request ? [] : [/** @type {const} */ ([name, request])],
  )
  return requests.flatMap(([request, { requestedSchema }], place) =>
    Object.entries(requestedSchema.properties).map(([field, schema]) => ({
      name: requests.length === 1 ? field : `${place + 1}.${field}`,
      request,
      field,
      schema: requests.length === 1 ? schema : { title: field, ...schema },
      isRequired: requestedSchema.required.includes(field),
    })),
  )
}

/** One object schema of all fields. @param {JsonObject} args */
function answerSchema(args) {
  const fields = answerFields(args)
  return {
    type: /** @type {const} */ ('object'),
    properties: /** @type {Record<string, any>} */ (
      Object.fromEntries(fields.map(({ name, schema }) => [name, schema]))
    ),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  }
}

/** What the fields have before its user has written anything. @param {JsonObject} args @returns {JsonObject} */
function answerDefaults(args) {
  const given = answerFields(args).filter(({ schema }) => schema.default !== undefined)
  return Object.fromEntries(given.map(({ name, schema }) => [name, schema.default]))
}

/**
 * The arguments of the answer. What is no field is left out.
 * @param {JsonObject} args as asked @param {unknown} values by the field's name in the form; foreign
 * @returns {JsonObject}
 */
function answeredArgs(args, values) {
  const given = new Map(Object.entries(values ?? {}))
  /** @type {Record<string, JsonObject>} */
  const content = Object.fromEntries(Object.keys(/** @type {object} */ (args.requests)).map(name => [name, {}]))
  for (const { name, request, field } of answerFields(args)) {
    const value = given.get(name)
    if (value !== undefined && value !== null) content[request] = { ...content[request], [field]: value }
  }
  return { ...args, content }
}

module.exports = { SERVER_QUESTION, answerDefaults, answerFields, answerSchema, answeredArgs, isServerQuestion }
