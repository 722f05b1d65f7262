import type { ReactElement } from 'react'

/** Shows the product name with its logo: three bars of a timeline. */
export function Wordmark(): ReactElement {
  return (
    <a href="#/" className="flex items-center gap-2 rounded-md text-base font-semibold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-6 text-accent">
        <rect width="32" height="32" rx="7" fill="currentColor" />
        <path
          d="M7 9.5h11M11 16h14M9 22.5h8"
          stroke="var(--accent-ink)"
          strokeWidth="3.2"
          strokeLinecap="round"
        />
      </svg>
      Troupe
    </a>
  )
}
