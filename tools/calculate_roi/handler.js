// Figures with their formulas. Rounded to two places at the end only.
import { success } from '../_core/tool-response.js'

const FORMULAS = [
  'net gain = gains - investment',
  'return on investment = net gain / investment',
  'yearly return = (gains / investment) ^ (1 / years) - 1',
  'payback = investment / (gains / years), if the gains come evenly',
]

/** @param {import('../../index.js').HandlerContext} context */
export function execute({ args }) {
  const { investment, gains, period } = args
  const yearly = (gains / investment) ** (1 / period) - 1
  return success({
    investment,
    gains,
    period,
    net_gain: rounded(gains - investment),
    roi_percent: rounded(((gains - investment) / investment) * 100),
    annual_roi_percent: rounded(yearly * 100),
    payback_years: gains === 0 ? null : rounded((investment * period) / gains),
    formulas: FORMULAS,
  })
}

/** Two places; `null` if JSON or the precision of a double can't hold the value. @param {number} value */
function rounded(value) {
  return Number.isFinite(value) && Math.abs(value) < 1e18 ? Number(value.toFixed(2)) + 0 : null
}
