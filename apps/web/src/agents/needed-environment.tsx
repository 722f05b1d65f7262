import type { ReactElement } from 'react'
import type { AgentVariable } from '../api/agents.ts'
import { TickedText } from '../ui/ticked-text.tsx'

/**
 * Shows the variables that an agent needs: their use, whether they are set and, for the operator, the origin
 * of each value. Values are never sent.
 */
export function NeededEnvironment({ env }: { readonly env: readonly AgentVariable[] }): ReactElement {
  if (env.length === 0) return <p className="text-small text-muted">It needs no variable.</p>
  return (
    <ul className="flex flex-col gap-1.5 text-small">
      {env.map(({ name, neededFor, isSet, origin }) => (
        <li key={name} className="flex flex-wrap items-baseline gap-x-3">
          <code className="font-mono font-medium">{name}</code>
          <span className="text-muted">
            for <TickedText text={neededFor} />
          </span>
          <span className={isSet ? 'text-good' : 'font-medium text-bad'}>{stateText(isSet, origin)}</span>
        </li>
      ))}
    </ul>
  )
}

function stateText(isSet: boolean, origin: string | undefined): string {
  if (!isSet) return 'missing'
  return origin === undefined ? 'set' : `from ${origin}`
}
