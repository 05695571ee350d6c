/** The logo: a post with an open barrier. */
export function BrandMark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true">
      <path d="M2 21.5h20" stroke="currentColor" strokeWidth="1.5" />
      <path d="M6 21V9.5M19.5 21v-5" stroke="currentColor" strokeWidth="3" />
      <path d="M6 12.5 18.5 3.5" stroke="var(--ok)" strokeWidth="3" />
      <circle cx="6" cy="12.5" r="2.75" fill="var(--paper)" stroke="currentColor" strokeWidth="1.75" />
    </svg>
  )
}
