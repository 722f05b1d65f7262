import type { ReactElement } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { TIMELINE_KEYS } from './timeline-actions.ts'

/** Shows the keys of the timeline. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title="Keys of the timeline" isOpen onClose={onClose}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-2 overflow-auto p-5 text-small">
        {TIMELINE_KEYS.map(({ keys, effect }) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded-sm border border-line bg-raised px-1.5 py-0.5 font-mono text-tiny whitespace-nowrap">
                {keys}
              </kbd>
            </dt>
            <dd className="text-muted">{effect}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
