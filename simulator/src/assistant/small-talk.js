// What needs no tool: greetings, thanks, the question for help, small sums.

import { numberOf } from './moments.js'
import { plainRequest } from './intents.js'

/** @import { Plan } from './plan.js' */

export const WHO = 'I am the Toolgate simulator, not a model: I understand everyday requests for the tools.'
const FREE_WORDS =
  /^[\s,.!]*(?:(?:a lot|so much|very much|you|for (?:that|your help|everything|the help)|thanks?|thank you|job|work|that is all|that's all|very|really|it works|then|indeed|again|all)[\s,.!]*)*$/i

/** @type {[RegExp, Plan][]} */
const ANSWERS = [
  [
    /^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|howdy)(?: (?:there|toolgate|all))?$/i,
    { say: `Hello! ${WHO}`, examples: true },
  ],
  [/^(?:how are you(?: doing)?(?: today)?|how's it going)$/i, { say: 'I am well, thank you. What can I do for you?' }],
  [
    /^(?:help|\?|what can (?:you|i|we) (?:do|ask|say)(?: here| for me)?|what do you do|how does this work|(?:who|what) are you|what is this|show me what you can do|(?:give me )?(?:some )?examples?|options|menu)$/i,
    { say: WHO, examples: true },
  ],
  [
    /^(?:yes|yeah|yep|ok(?:ay)?|sure|go ahead|do it|i agree|approve|confirm)$/i,
    { say: 'If a question waits for your consent, answer it with its buttons: I may not do that for you.' },
  ],
  [/^(?:no|nope|never mind|cancel|forget it|don't|deny)$/i, { say: 'All right, I do nothing.' }],
]
const THANKS = /^(?:thanks?(?: you)?|many thanks|thx|cheers|great|perfect|nice|cool|well done|awesome)\b/i

const COMPLAINT =
  /\b(?:this|that|it|your (?:answer|reply)|you|the (?:answer|app|page))(?:'s| is| are|'re) (?:so |really |very |totally )?(?:stupid|useless|rubbish|nonsense|wrong|bad|terrible|awful|dumb|annoying|crap|not (?:right|helpful|true))\b/i

/** @param {string} text @returns {Plan | null} */
export function smallTalk(text) {
  const asked = text.trim().replace(/[\s.!?]+$/, '')
  const answer = ANSWERS.find(([pattern]) => pattern.test(asked || '?'))
  if (answer !== undefined) return answer[1]
  if (THANKS.test(asked) && FREE_WORDS.test(asked.replace(THANKS, ''))) return { say: 'You are welcome.' }
  const sum = sumIn(asked)
  if (sum !== null) return { say: sum }
  return COMPLAINT.test(asked) && asked.length < 80 && !/\byou\b.*\b(?:idiot|moron)/i.test(asked)
    ? { say: `I am sorry that this did not help. ${WHO}`, examples: true }
    : null
}

const SIGNS = [
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\b(?:times|multiplied by)\b|[×x](?=\s*\d)/gi, '*'],
  [/\b(?:divided by|over)\b|÷/gi, '/'],
]

/** The result of a sum of two to eight numbers. @param {string} text @returns {string | null} */
function sumIn(text) {
  const asked = plainRequest(text)
    .replace(/^(?:what(?:'s| is)|how much is|calculate|compute|work out)\s+/i, '')
    .replace(/\s*=\s*$/, '')
  const percent = /^(\d[\d.,]*)\s?(?:%|percent) of (\d[\d.,]*)$/i.exec(asked)
  if (percent) return `That is ${shown((numberOf(percent[1]) * numberOf(percent[2])) / 100)}.`
  const signs = SIGNS.reduce((sum, [word, sign]) => sum.replaceAll(word, /** @type {string} */ (sign)), asked)
  const terms =
    signs.match(/^\s*-?\d[\d.,]*(?:\s*[-+*/]\s*-?\d[\d.,]*){1,7}\s*$/) === null
      ? null
      : signs.match(/-?\d[\d.,]*|[-+*/]/g)
  if (terms === null) return null
  const result = evaluated(signs)
  return Number.isFinite(result)
    ? `${asked.replaceAll(/\s+/g, ' ')} is ${shown(result)}.`
    : 'Nothing can be divided by zero.'
}

/** Multiplications first. @param {string} sum */
function evaluated(sum) {
  const tokens = [...sum.matchAll(/(^|[-+*/])\s*(-?\d[\d.,]*)\s*/g)]
  /** @type {number[]} */
  const products = []
  for (const [, sign, digits] of tokens) {
    const value = numberOf(digits)
    if (sign === '*' || sign === '/')
      products.push(sign === '*' ? (products.pop() ?? 1) * value : (products.pop() ?? 0) / value)
    else products.push(sign === '-' ? -value : value)
  }
  return products.reduce((total, value) => total + value, 0)
}

/** @param {number} value */
const shown = value => String(Math.round(value * 1e6) / 1e6)
