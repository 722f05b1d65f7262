import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'

/** Shows the list of conversations over the page, on narrow screens. */
export function ConversationSheet({
  onClose,
  children,
}: {
  readonly onClose: () => void
  readonly children: ReactNode
}): ReactElement {
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-black/45 backdrop-blur-[2px]" />
        <Dialog.Popup className="fixed inset-y-0 left-0 flex w-[min(22rem,calc(100vw-3rem))] flex-col border-r border-line bg-panel shadow-2xl outline-none">
          <div className="flex h-14 shrink-0 items-center justify-between gap-3 border-b border-line pr-2 pl-4">
            <Dialog.Title className="text-base font-semibold">Conversations</Dialog.Title>
            <Dialog.Close
              aria-label="Close"
              className="grid size-11 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink"
            >
              <X aria-hidden="true" className="size-4" />
            </Dialog.Close>
          </div>
          <div className="min-h-0 grow">{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
