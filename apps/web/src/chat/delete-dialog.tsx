import type { ReactElement } from 'react'
import type { RequestFailure } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNotice } from '../ui/notice.tsx'

/** Asks whether to delete a conversation. */
export function DeleteDialog({
  name,
  failure,
  isDisabled,
  onDelete,
  onClose,
}: {
  readonly name: string
  /** Why the conversation could not be deleted. */
  readonly failure: RequestFailure | undefined
  readonly isDisabled: boolean
  readonly onDelete: () => void
  readonly onClose: () => void
}): ReactElement {
  return (
    <Dialog title="Delete this conversation?" isOpen onClose={onClose}>
      <div className="flex flex-col gap-4 p-5 text-small">
        <p>
          <q dir="auto" className="font-medium break-words">
            {name.slice(0, 200)}
          </q>{' '}
          and all of its branches, messages and runs are deleted from the store. This cannot be undone.
        </p>
        {failure === undefined ? null : <FailureNotice failure={failure} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep</Button>
          <Button tone="danger" disabled={isDisabled} onClick={onDelete}>
            Delete
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
