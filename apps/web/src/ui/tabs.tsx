import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactElement, ReactNode } from 'react'

/** A tab with its content. */
export interface Tab {
  readonly id: string
  readonly label: ReactNode
  readonly content: ReactNode
}

/** Shows tabs. Arrow keys move between them. */
export function Tabs({
  tabs,
  label,
}: {
  readonly tabs: readonly Tab[]
  readonly label: string
}): ReactElement {
  return (
    <BaseTabs.Root defaultValue={tabs[0]?.id} className="flex min-h-0 flex-col">
      <BaseTabs.List
        aria-label={label}
        activateOnFocus
        className="flex shrink-0 gap-4 overflow-x-auto border-b border-line px-4"
      >
        {tabs.map(({ id, label: text }) => (
          <BaseTabs.Tab
            key={id}
            value={id}
            className="-mb-px h-9 border-b-2 border-transparent text-small font-medium whitespace-nowrap text-muted hover:text-ink data-[active]:border-accent data-[active]:text-ink"
          >
            {text}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map(({ id, content }) => (
        <BaseTabs.Panel key={id} value={id} className="min-h-0 grow overflow-auto p-4">
          {content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}
