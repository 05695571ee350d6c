/** An answer that offers sentences to send: a last list of quoted lines under `Try:`, plain text for every other client. */
const OFFER = /^(?<text>[^]*Try:)\n(?<lines>(?:- ".{1,200}"(?:\n|$)){1,6})$/

/** @returns the text before the sentences, and these */
export function offeredSentences(answer: string): { text: string; sentences: string[] } {
  const { text = answer, lines = '' } = OFFER.exec(answer.trimEnd())?.groups ?? {}
  return { text, sentences: lines.split('\n').flatMap(line => (line === '' ? [] : line.slice(3, -1))) }
}
