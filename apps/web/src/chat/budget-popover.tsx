import { Popover } from '@base-ui/react/popover'
import type { ReactElement } from 'react'
import { Field, TextInput } from '../ui/field.tsx'
import type { MessageBudget } from './chat-settings.tsx'

const CAPS: readonly {
  readonly key: keyof MessageBudget
  readonly label: string
  readonly step: string
  readonly hint: string
}[] = [
  { key: 'maxCost', label: 'Cost in USD', step: 'any', hint: 'For the run and its child runs.' },
  { key: 'maxTokens', label: 'Tokens', step: '1', hint: 'Input and output tokens together.' },
  { key: 'timeout', label: 'Time in seconds', step: '1', hint: 'Time spent waiting for you does not count.' },
]

/** Edits the budget of the next messages in a popover, which is open at first. */
export function BudgetPopover({
  trigger,
  budget,
  onChange,
}: {
  /** The button that opens the popover. */
  readonly trigger: ReactElement
  readonly budget: MessageBudget
  readonly onChange: (budget: MessageBudget) => void
}): ReactElement {
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner sideOffset={8} side="top" align="start">
          <Popover.Popup className="flex w-64 flex-col gap-3 rounded-lg border border-line bg-panel p-4 shadow-lg outline-none">
            <Popover.Title className="text-small font-semibold">Budget of each message</Popover.Title>
            {CAPS.map(({ key, label, step, hint }) => (
              <Field key={key} label={label} hint={hint}>
                {(props) => (
                  <TextInput
                    {...props}
                    type="number"
                    min="0"
                    step={step}
                    placeholder="as in the card"
                    value={budget[key] ?? ''}
                    onChange={(event) => onChange({ ...budget, [key]: readCap(event.target.value) })}
                  />
                )}
              </Field>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function readCap(text: string): number | undefined {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) || value <= 0 ? undefined : value
}
