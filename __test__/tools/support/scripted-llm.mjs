// Language models of the tests.

/** An `llm` service that answers with these values, as JSON text unless they are texts; keeps its requests. */
export function scriptedLlm(...answers) {
  const requests = []
  const generate = async request => {
    requests.push(request)
    const answer = answers[Math.min(requests.length, answers.length) - 1]
    return { text: typeof answer === 'string' ? answer : JSON.stringify(answer), model: 'scripted' }
  }
  return { llm: { generate }, requests }
}

/** What no tool can use. */
export const USELESS = ['', 'I am sorry, I cannot do that.', '{', '[]', 'null', '{"other":1}', '{"items":"many"}']

export const UNUSABLE = {
  ok: false,
  error: {
    type: 'TRANSIENT',
    message: 'the language model gave no usable answer',
    retryable: true,
    details: { reason: 'unusable_answer' },
  },
}
