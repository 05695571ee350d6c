// For `--import`: `@google/genai` is the one of this folder, whoever imports it.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (name, context, next) =>
    next(name, /^@google\/genai(\/|$)/.test(name) ? { ...context, parentURL: import.meta.url } : context),
})
