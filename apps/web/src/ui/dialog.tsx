import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** Shows a modal dialog. Escape closes it, and the focus returns to the previous element. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  isWide = false,
}: {
  readonly title: ReactNode
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly isWide?: boolean
}): ReactElement {
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fixed inset-0 bg-black/45 backdrop-blur-[2px]" />
        <BaseDialog.Popup
          className={classNames(
            'fixed top-1/2 left-1/2 flex max-h-[min(46rem,calc(100dvh-2rem))] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-xl border border-line bg-panel shadow-2xl outline-none',
            isWide ? 'max-w-4xl' : 'max-w-md',
          )}
        >
          <div className="flex h-12 shrink-0 items-center justify-between gap-3 border-b border-line pr-2 pl-5">
            <BaseDialog.Title className="truncate text-small font-semibold">{title}</BaseDialog.Title>
            <BaseDialog.Close
              aria-label="Close"
              className="grid size-8 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink"
            >
              <X aria-hidden="true" className="size-4" />
            </BaseDialog.Close>
          </div>
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}
