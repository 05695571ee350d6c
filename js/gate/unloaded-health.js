'use strict'

/** The health of a registry before its load. @returns {import('../../index.js').RegistryHealth} */
const unloadedHealth = () => ({
  ok: false,
  closing: false,
  storeError: null,
  audit: { failing: false, lost: 0 },
  owed: { oldestAgeMs: null },
})

module.exports = { unloadedHealth }
