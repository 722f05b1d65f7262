import { Coins } from 'lucide-react'
import { lazy, Suspense, useState, type ReactElement } from 'react'
import { Button } from '../ui/button.tsx'
import { budgetText, type MessageBudget } from './chat-settings.tsx'

const BudgetPopover = lazy(async () => ({ default: (await import('./budget-popover.tsx')).BudgetPopover }))

/**
 * Shows the budget of the next messages. The lower of this budget and the limits of the card applies. The editor is
 * loaded when the button is pressed for the first time.
 */
export function BudgetButton({
  budget,
  onChange,
}: {
  readonly budget: MessageBudget
  readonly onChange: (budget: MessageBudget) => void
}): ReactElement {
  const [isUsed, setUsed] = useState(false)
  const text = budgetText(budget)
  const button = (
    <Button tone="quiet" size="narrow" aria-haspopup="dialog" onClick={() => setUsed(true)}>
      <Coins aria-hidden="true" className="size-4" />
      <span>{text === '' ? 'Budget' : text}</span>
    </Button>
  )
  if (!isUsed) return button
  return (
    <Suspense fallback={button}>
      <BudgetPopover trigger={button} budget={budget} onChange={onChange} />
    </Suspense>
  )
}
