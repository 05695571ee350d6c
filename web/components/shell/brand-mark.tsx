/** Two posts and a bar that is opening. */
export function BrandMark({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 22 22" fill="none" aria-hidden="true">
      <path d="M4 19V3M18 19V3" stroke="currentColor" strokeWidth="2.5" />
      <path d="M4 15 18 7" stroke="var(--ok)" strokeWidth="2.5" />
    </svg>
  )
}
