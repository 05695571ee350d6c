// The embedded default of the host service `llm`: deterministic drafts without a model, composed from the given
// material. Answers have `simulated: true`, and the texts are labelled as simulated.
import { sentencesIn } from './drafting.js'

const MODEL = 'toolgate-simulator'
const LABEL = '[Simulated draft: no language model is configured]'

/** @returns {{ generate(request: { prompt: string, signal?: AbortSignal }): Promise<{ text: string, model: string, simulated: true }> }} */
export function createLlmSimulator() {
  return {
    async generate({ prompt, signal }) {
      signal?.throwIfAborted()
      return { text: JSON.stringify(answerTo(prompt)), model: MODEL, simulated: true }
    },
  }
}

/** @param {string} prompt */
function answerTo(prompt) {
  try {
    const { task, ...input } = JSON.parse(prompt)
    if (Object.hasOwn(TASKS, task)) return TASKS[task](input)
  } catch {
    // Not a prompt of the shipped tools.
  }
  return { text: LABEL }
}

/**
 * @type {Record<string, (input: any) => object>} `any`: the prompt names the task, and each task has its own input
 */
const TASKS = {
  extract_action_items: actionItems,
  generate_summary_preview: summary,
  draft_follow_up_email: email,
  generate_proposal_draft: proposal,
  image_draft_prompt: imagePrompts,
}

/** English and German words that announce something to be done. */
const TO_DO =
  /^(?:todo|to do|action)\b|\b(?:will|shall|must|needs? to|has to|have to|should|going to|please|let's|bitte|muss|soll|wird)\b/i
const OWNER =
  /(?:^|[\s:])(\p{Lu}[\p{L}’'-]+(?: \p{Lu}[\p{L}’'-]+)?) (?:will|shall|must|needs? to|has to|should|is going to|muss|soll|wird)\b/u
const DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const DUE = new RegExp(
  `\\b(?:by|until|before|on) ((?:next |this )?(?:${DAY}|\\d{4}-\\d\\d-\\d\\d|tomorrow|\\d{1,2} [A-Z][a-z]{2,8}|[A-Z][a-z]{2,8} \\d{1,2}))\\b`,
)

/** @param {{ text: string }} input */
function actionItems({ text }) {
  const items = sentencesIn(text).filter(sentence => sentence.length <= 500 && TO_DO.test(sentence))
  return {
    items: items.slice(0, 50).map(quote => ({
      task: quote.replace(/^(?:todo|to do|action(?: item)?)\s*:?\s*/i, ''),
      owner: OWNER.exec(quote)?.[1] ?? null,
      due: DUE.exec(quote)?.[1] ?? null,
      quote,
    })),
  }
}

const FREQUENT = /^(?:the|and|for|that|this|with|from|have|has|was|were|are|will|not|but|you|our|its|they|their|been)$/

/**
 * The sentences whose words are the most frequent of the text, in the text's order.
 * @param {{ text: string, max_sentences: number }} input
 */
function summary({ text, max_sentences: most }) {
  const sentences = sentencesIn(text)
  /** @param {string} sentence @returns {string[]} */
  const wordsOf = sentence =>
    sentence
      .toLowerCase()
      .match(/[\p{L}\p{M}]{3,}/gu)
      ?.filter(word => !FREQUENT.test(word)) ?? []
  const counts = new Map()
  for (const word of sentences.flatMap(wordsOf)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const weights = sentences.map((sentence, at) => {
    const words = wordsOf(sentence)
    const weight = words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / Math.sqrt(words.length || 1)
    return { sentence, at, weight }
  })
  const chosen = weights.sort((one, other) => other.weight - one.weight || one.at - other.at).slice(0, most)
  return {
    preview: [LABEL, ...chosen.sort((one, other) => one.at - other.at).map(({ sentence }) => sentence)].join(' '),
  }
}

/** @type {Record<string, [greeting: string, closing: string]>} */
const OPENINGS = { friendly: ['Hi', 'Best wishes'], formal: ['Dear', 'Yours sincerely'], brief: ['Hello', 'Regards'] }

/** @param {{ recipient: string, sender: string | null, purpose: string, tone: string, facts: string[] }} input */
function email({ recipient, sender, purpose, tone, facts }) {
  const [greeting, closing] = OPENINGS[tone] ?? OPENINGS.friendly
  const lines = [
    LABEL,
    '',
    `${greeting} ${recipient},`,
    '',
    `${purpose}:`,
    ...facts.map(fact => `- ${fact}`),
    '',
    sender === null ? `${closing},` : `${closing},\n${sender}`,
  ]
  return { subject: `Follow-up: ${purpose}`.slice(0, 200), body: lines.join('\n') }
}

/** @param {{ client: string, need: string, facts: string[] }} input */
function proposal({ client, need, facts }) {
  /** @param {string} title @param {string[]} lines */
  const section = (title, lines) => [`## ${title}`, '', ...lines, '']
  const text = [
    LABEL,
    '',
    ...section('What you need', [need]),
    ...section(
      'What we know',
      facts.map(fact => `- ${fact}`),
    ),
    ...section('What is still open', ['- Everything that is not listed above, such as price and dates.']),
  ]
  return { title: `Proposal for ${client}`, text: text.join('\n').trim() }
}

const VARIANTS = [
  ['clear subject in the centre, plain background', 'soft daylight'],
  ['wide view with surroundings', 'low evening light'],
  ['close-up of one detail', 'strong side light'],
  ['flat shapes, few colours', 'even light'],
]

/** @param {{ idea: string, style: string | null, count: number }} input */
function imagePrompts({ idea, style, count }) {
  const kind = style === null ? '' : `${style}: `
  return { prompts: VARIANTS.slice(0, count).map(([view, light]) => `${kind}${idea}; ${view}, ${light}`) }
}
