import type { ReactElement } from 'react'
import type { NeededVariable } from '../api/agents.ts'
import { TickedText } from '../ui/ticked-text.tsx'

/** The variables that an agent needs: what for, and where each value comes from. Values are never sent. */
export function NeededEnvironment({ env }: { readonly env: readonly NeededVariable[] }): ReactElement {
  if (env.length === 0) return <p className="text-small text-muted">It needs no variable.</p>
  return (
    <ul className="flex flex-col gap-1.5 text-small">
      {env.map(({ name, neededFor, origin }) => (
        <li key={name} className="flex flex-wrap items-baseline gap-x-3">
          <code className="font-mono font-medium">{name}</code>
          <span className="text-muted">
            for <TickedText text={neededFor} />
          </span>
          <span className={origin === undefined ? 'font-medium text-bad' : 'text-good'}>
            {origin === undefined ? 'missing' : `from ${origin}`}
          </span>
        </li>
      ))}
    </ul>
  )
}
