// Made by the build from the tool folders. Changes are lost.
import * as refund from './refund/handler.mjs'

export const handlers = {
  refund,
}
