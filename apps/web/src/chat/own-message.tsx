import { ChevronLeft, ChevronRight, Pencil } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { goTo } from '../route/route.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { INPUT_CLASSES } from '../ui/field.tsx'
import { classNames } from '../ui/class-names.ts'
import { AttachmentChips } from './attachment-chips.tsx'
import type { PendingFile } from './attachments.ts'
import type { MessageVersions } from './conversation-tree.ts'

/** Shows a message of the person, with its versions. It can be edited, which sends a new version. */
export function OwnMessage({
  text,
  files,
  agent,
  versions,
  onEdit,
  canEdit,
}: {
  readonly text: string
  readonly files: readonly PendingFile[]
  readonly agent: string
  /** `undefined` if there is one version only. */
  readonly versions: MessageVersions | undefined
  /** `undefined` if the conversation is read-only. */
  readonly onEdit: ((text: string) => void) | undefined
  /** False while the message cannot be edited. */
  readonly canEdit: boolean
}): ReactElement {
  const [edited, setEdited] = useState<string>()
  if (edited !== undefined && onEdit !== undefined && canEdit)
    return (
      <MessageEditor
        text={edited}
        onText={setEdited}
        onCancel={() => setEdited(undefined)}
        onSend={() => {
          setEdited(undefined)
          onEdit(edited.trim())
        }}
      />
    )
  return (
    <div className="flex max-w-[85%] flex-col items-end gap-1 self-end">
      <AttachmentChips files={files} />
      <p
        dir="auto"
        className="max-w-full rounded-2xl rounded-br-md bg-accent-wash px-3.5 py-2 break-words whitespace-pre-wrap"
      >
        {text}
      </p>
      {onEdit === undefined && versions === undefined ? null : (
        <div className="flex items-center gap-1 text-tiny text-muted">
          {onEdit === undefined ? null : (
            <IconButton
              label="Edit the message"
              className="size-7 pointer-coarse:size-11"
              disabled={!canEdit}
              onClick={() => setEdited(text)}
            >
              <Pencil aria-hidden="true" className="size-3.5" />
            </IconButton>
          )}
          {versions === undefined ? null : <VersionPicker agent={agent} versions={versions} />}
        </div>
      )}
    </div>
  )
}

/** Shows which version of a message is shown, with arrows to the others. */
function VersionPicker({
  agent,
  versions: { sessionIds, index },
}: {
  readonly agent: string
  readonly versions: MessageVersions
}): ReactElement {
  const open = (sessionId: string | undefined): void => {
    if (sessionId !== undefined) goTo({ page: 'chat', agent, sessionId })
  }
  return (
    <span role="group" aria-label="Versions of the message" className="flex items-center">
      <IconButton
        label="Previous version"
        className="size-7 pointer-coarse:size-11"
        disabled={index === 0}
        onClick={() => open(sessionIds[index - 1])}
      >
        <ChevronLeft aria-hidden="true" className="size-4" />
      </IconButton>
      <span className="min-w-8 text-center tabular">
        {index + 1} / {sessionIds.length}
      </span>
      <IconButton
        label="Next version"
        className="size-7 pointer-coarse:size-11"
        disabled={index === sessionIds.length - 1}
        onClick={() => open(sessionIds[index + 1])}
      >
        <ChevronRight aria-hidden="true" className="size-4" />
      </IconButton>
    </span>
  )
}

function MessageEditor({
  text,
  onText,
  onCancel,
  onSend,
}: {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onCancel: () => void
  readonly onSend: () => void
}): ReactElement {
  const canSend = text.trim() !== ''
  return (
    <form
      className="flex w-full flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) onSend()
      }}
    >
      <textarea
        autoFocus
        dir="auto"
        aria-label="Text of the message"
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') {
            event.preventDefault()
            onCancel()
          }
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            if (canSend) onSend()
          }
        }}
        className={classNames(INPUT_CLASSES, 'field-sizing-content max-h-96 min-h-16 resize-none py-2')}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="grow text-tiny text-muted">
          Starts another version of the conversation from here. This one stays.
        </p>
        <Button className="pointer-coarse:h-11" onClick={onCancel}>
          Cancel
        </Button>
        <Button tone="solid" type="submit" className="pointer-coarse:h-11" disabled={!canSend}>
          Send
        </Button>
      </div>
    </form>
  )
}
