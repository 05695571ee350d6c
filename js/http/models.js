'use strict'

// The models that the servers, the tools and the pages name, and when their providers withdraw them: `models.json`, which is
// renewed by hand from the pages of its sources. `GET /v1/models` of OpenAI says the same, in `shutdown_date`.

const { checked, defaults, models, sources } = require('./models.json')

/** How long before its end a model is warned of: time for a release, and for those who install it. */
const NOTICE_DAYS = 60
const DAY_MS = 24 * 60 * 60 * 1000

/** @type {typeof import('./index').DEFAULT_MODELS} */
const DEFAULT_MODELS = Object.freeze(defaults)

/** The settings that name a model. */
const MODEL_SETTINGS = /^TOOLGATE_\w+_MODEL$/

/**
 * What is known of a model's end; null if none is announced, or the model is unknown. A dated
 * snapshot ends with its model.
 * @param {string} name
 * @returns {{ ends: string, successor: string, source: string } | null}
 */
function endOfModel(name) {
  const known =
    /** @type {Record<string, { provider: keyof typeof sources, ends: string | null, successor?: string }>} */ (models)
  const id = name.replace(/^.*\//, '')
  const key = [id, id.replace(/-(\d{4}-\d\d-\d\d|\d{8})$/, '')].find(one => Object.hasOwn(known, one))
  if (key === undefined) return null
  const { provider, ends, successor = '' } = known[key]
  return ends === null ? null : { ends, successor, source: sources[provider] }
}

/**
 * The models in use that have ended, or end within the notice.
 * @param {NodeJS.ProcessEnv} env
 * @param {number} now
 * @returns {import('./index').EndingModel[]}
 */
function endingModels(env, now) {
  const set = Object.entries(env).filter(([name, value]) => MODEL_SETTINGS.test(name) && value)
  const named = set.map(([setting, model]) => ({ setting, model: /** @type {string} */ (model) }))
  const own = [...new Set(Object.values(defaults))].map(model => ({ setting: null, model }))
  return [...named, ...own].flatMap(({ setting, model }) => {
    const end = endOfModel(model)
    if (end === null || daysUntil(end.ends, now) > NOTICE_DAYS) return []
    return [{ setting, model, ...end, hasEnded: daysUntil(end.ends, now) <= 0 }]
  })
}

/** @param {string} date @param {number} now */
const daysUntil = (date, now) => (Date.parse(date) - now) / DAY_MS

module.exports = { DEFAULT_MODELS, NOTICE_DAYS, checked, endOfModel, endingModels }
