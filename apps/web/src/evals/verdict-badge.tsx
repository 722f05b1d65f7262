import { ArrowDownRight, ArrowUpRight, Equal, type LucideIcon } from 'lucide-react'
import type { EvalComparison } from '@troupe/client'
import type { ReactElement } from 'react'
import { classNames } from '../ui/class-names.ts'

const LOOKS: Readonly<Record<EvalComparison['verdict'], readonly [LucideIcon, string]>> = {
  better: [ArrowUpRight, 'text-good'],
  worse: [ArrowDownRight, 'text-bad'],
  'not distinguishable': [Equal, 'text-muted'],
}

/** Shows whether a result is better or worse than its base. */
export function VerdictBadge({ verdict }: { readonly verdict: EvalComparison['verdict'] }): ReactElement {
  const [Icon, tone] = LOOKS[verdict]
  return (
    <span
      className={classNames('inline-flex items-center gap-1 text-small font-medium whitespace-nowrap', tone)}
    >
      <Icon aria-hidden="true" className="size-3.5 shrink-0" strokeWidth={2.4} />
      {verdict}
    </span>
  )
}
