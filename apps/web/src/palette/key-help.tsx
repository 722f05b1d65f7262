import type { ReactElement } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { TIMELINE_KEYS } from '../timeline/timeline-actions.ts'
import { PAGE_KEYS, type KeyGroup } from './page-keys.ts'

const TIMELINE: KeyGroup = {
  title: 'Timeline',
  keys: TIMELINE_KEYS.map(({ keys, effect }) => [keys, effect] as const),
}
const GROUPS: readonly KeyGroup[] = [...PAGE_KEYS, TIMELINE]

/** Shows the keys of the page. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title="Keyboard" isOpen onClose={onClose}>
      <div className="flex flex-col gap-5 overflow-auto p-5" tabIndex={0}>
        {GROUPS.map(({ title, keys }) => (
          <section key={title} aria-label={title}>
            <h3 className="pb-1.5 text-tiny font-semibold text-muted">{title}</h3>
            <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-small">
              {keys.map(([key, meaning]) => (
                <div key={key} className="contents">
                  <dt className="font-medium whitespace-nowrap">{key}</dt>
                  <dd className="text-muted">{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
