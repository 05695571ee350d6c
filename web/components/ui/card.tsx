import type { ComponentProps, ReactNode } from 'react'
import { classNames } from '@/lib/class-names'
import type { Tone } from './badge'
import styles from './card.module.css'

interface CardProps extends Omit<ComponentProps<'section'>, 'title'> {
  title?: ReactNode
  /** Small text above the title: the kind of the card. */
  eyebrow?: ReactNode
  /** Buttons beside the title. */
  actions?: ReactNode
  /** The colour of its edge, for an outcome of the gate. */
  tone?: Tone
}

export function Card({ title, eyebrow, actions, tone = 'neutral', className, children, ...rest }: CardProps) {
  return (
    <section className={classNames(styles.card, styles[tone], className)} {...rest}>
      {(title || eyebrow || actions) && (
        <header className={styles.header}>
          <div>
            {eyebrow && <p className="eyebrow">{eyebrow}</p>}
            {title && <h2>{title}</h2>}
          </div>
          {actions && <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}
