'use strict'

// What Standard Schema says of a value (standardschema.dev): a schema of any library carries `~standard`.

/** @param {unknown} value whether it is a schema of a library; some are functions */
const isStandardSchema = value =>
  value !== null && (typeof value === 'object' || typeof value === 'function') && typeof value['~standard'] === 'object'

module.exports = { isStandardSchema }
