import { Dialog } from '@base-ui/react/dialog'
import { ArrowLeft, X } from 'lucide-react'
import { useEffect, useState, type ReactElement } from 'react'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { Inspector } from './inspector.tsx'

const BUTTON_CLASSES =
  'grid size-[44px] shrink-0 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink'

/**
 * Shows the details of a row in a sheet at the bottom of the screen. Escape and the Back button of the browser
 * close it. Its own Back button shows the row before, if another one was opened from the sheet.
 */
export function DetailsSheet({
  isOpen,
  onClose,
  viewState,
  selected,
  onSelect,
  returnFocus,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly viewState: RunViewState
  /** The key of a row. */
  readonly selected: string
  readonly onSelect: (key: string) => void
  /** Returns the element that gets the focus after the sheet is closed. */
  readonly returnFocus: () => HTMLElement | null | undefined
}): ReactElement {
  const [earlier, setEarlier] = useState<readonly string[]>([])
  useBackToClose(isOpen, onClose)
  useEffect(() => {
    if (!isOpen) setEarlier([])
  }, [isOpen])
  const back = (): void => {
    const last = earlier.at(-1)
    if (last === undefined) return onClose()
    setEarlier(earlier.slice(0, -1))
    onSelect(last)
  }
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-[oklch(0_0_0/0.45)]" />
        <Dialog.Popup
          aria-label="Details"
          finalFocus={() => returnFocus() ?? true}
          className="fixed inset-x-0 bottom-0 z-20 flex h-[min(85dvh,44rem)] flex-col rounded-t-xl border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] shadow-2xl outline-none"
        >
          <Inspector
            viewState={viewState}
            selected={selected}
            onSelect={(key) => {
              setEarlier([...earlier, selected])
              onSelect(key)
            }}
            actions={
              <>
                {earlier.length === 0 ? null : (
                  <button
                    type="button"
                    aria-label="Back"
                    title="Back"
                    onClick={back}
                    className={BUTTON_CLASSES}
                  >
                    <ArrowLeft aria-hidden="true" className="size-4" />
                  </button>
                )}
                <Dialog.Close aria-label="Close" title="Close" className={BUTTON_CLASSES}>
                  <X aria-hidden="true" className="size-4" />
                </Dialog.Close>
              </>
            }
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Marks the entry of the browser history that an open sheet adds. */
const SHEET_STATE = 'troupe-sheet'

/** Closes the sheet with the Back button of the browser, which then stays on the page. */
function useBackToClose(isOpen: boolean, onClose: () => void): void {
  useEffect(() => {
    if (!isOpen) return undefined
    history.pushState(SHEET_STATE, '')
    addEventListener('popstate', onClose)
    return () => {
      removeEventListener('popstate', onClose)
      // A link in the sheet has added an entry of its own, which must stay.
      if (history.state === SHEET_STATE) history.back()
    }
  }, [isOpen, onClose])
}
