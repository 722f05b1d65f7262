import type { CardSource } from '@troupe/client'
import { type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { useAction } from '../api/use-request.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNotice, Notice } from '../ui/notice.tsx'
import type { CardDraft } from './card-drafts.ts'
import { LineDiff } from './text-diff.tsx'

/**
 * Shows the changes of a text and saves them. If the file has changed in the meantime, its new text can be loaded for
 * comparison first.
 */
export function SaveDialog({
  agent,
  draft,
  hasErrors,
  onClose,
  onReload,
  onSaved,
}: {
  readonly agent: string
  readonly draft: CardDraft
  readonly hasErrors: boolean
  readonly onClose: () => void
  /** Called with the current text of the file after a conflict. */
  readonly onReload: (saved: CardDraft['saved']) => void
  readonly onSaved: (card: CardSource) => void
}): ReactElement {
  const { text, saved } = draft
  const save = useAction(() => client.cards.save(agent, { text, version: saved.version }), onSaved)
  const reload = useAction(
    () => client.cards.get(agent),
    ({ text: current = '', version = '' }) => onReload({ text: current, version }),
  )
  const isConflict = save.failure?.code === 'card_changed'
  return (
    <Dialog title="Save the card" isOpen isWide onClose={onClose}>
      <div className="flex min-h-0 flex-col gap-4 overflow-auto p-5">
        {hasErrors ? (
          <Notice tone="warn">The text has errors. It is not saved if they stop an agent of the team.</Notice>
        ) : null}
        <LineDiff before={saved.text} after={text} label="Changes to the card" />
        {save.failure === undefined ? null : <FailureNotice failure={save.failure} />}
        {reload.failure === undefined ? null : <FailureNotice failure={reload.failure} />}
        <div className="flex justify-end gap-2">
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          {isConflict ? (
            <Button onClick={() => reload.run()} disabled={reload.isBusy}>
              Compare with the file
            </Button>
          ) : null}
          <Button
            tone="solid"
            autoFocus
            disabled={save.isBusy || text === saved.text}
            onClick={() => save.run()}
          >
            Save
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
