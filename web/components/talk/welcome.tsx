import { ArrowUpRight, Ban, Check, Hand } from 'lucide-react'
import { classNames } from '@/lib/class-names'
import tones from '@/components/ui/tone.module.css'
import styles from './welcome.module.css'

const SUGGESTIONS = [
  'Who knows about Rust?',
  'What is our process for onboarding?',
  'Schedule a design review with ada@example.com',
]

const SIGNS = [
  { tone: 'ok', Icon: Check, text: 'passed and done' },
  { tone: 'ask', Icon: Hand, text: 'waits for your consent' },
  { tone: 'stop', Icon: Ban, text: 'refused, and why' },
] as const

interface WelcomeProps {
  hasVoice: boolean
  onPick(text: string): void
}

export function Welcome({ hasVoice, onPick }: WelcomeProps) {
  return (
    <section className={styles.welcome} aria-label="Where to begin">
      <h2>Ask. Every call passes the gate, in plain sight.</h2>
      <p className={styles.lead}>
        {hasVoice ? 'Write or talk, and change between the two as you like. ' : ''}
        Answers come from the studio’s knowledge base, with their sources; nothing is written without your word.
      </p>
      <ul className={styles.suggestions}>
        {SUGGESTIONS.map(text => (
          <li key={text}>
            <button type="button" onClick={() => onPick(text)}>
              <span>{text}</span>
              <ArrowUpRight size={16} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      <dl className={styles.legend} aria-label="How a call is shown">
        {SIGNS.map(({ tone, Icon, text }) => (
          <div key={tone}>
            <dt className={classNames(styles.sign, tones[tone])}>
              <Icon size={12} strokeWidth={2.5} role="img" aria-label="Sign" />
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
