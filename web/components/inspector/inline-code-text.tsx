/** Text of the gate: what stands between backticks is code. */
export function CodedText({ text }: { text: string }) {
  return text.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))
}
