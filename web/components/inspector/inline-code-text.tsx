/** A text of the gate, with its parts between backticks as code. */
export function InlineCodeText({ text }: { text: string }) {
  return text.split('`').map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))
}
