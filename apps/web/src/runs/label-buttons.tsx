import type { Run, RunLabel } from '@troupe/client'
import { MessageSquareText, ThumbsDown, ThumbsUp, type LucideIcon } from 'lucide-react'
import { useState, type FormEvent, type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { useAction } from '../api/use-request.ts'
import { Button } from '../ui/button.tsx'
import { TextInput } from '../ui/field.tsx'

const CHOICES: readonly {
  readonly value: RunLabel['value']
  readonly title: string
  readonly Icon: LucideIcon
}[] = [
  { value: 'up', title: 'Good answer', Icon: ThumbsUp },
  { value: 'down', title: 'Bad answer', Icon: ThumbsDown },
]

/** The longest note that the server accepts. */
const MAX_NOTE = 1000

/** Labels a run with thumbs up or down and an optional note. */
export function LabelButtons({
  runId,
  label: storedLabel,
}: {
  readonly runId: string
  /** The label that the server returned with the run. */
  readonly label: RunLabel | undefined
}): ReactElement {
  const [changed, setChanged] = useState<Pick<Run, 'label'>>()
  const save = useAction(
    (label: RunLabel | undefined) =>
      label === undefined ? client.runs.unlabel(runId) : client.runs.label(runId, label),
    setChanged,
  )
  const { label } = changed ?? { label: storedLabel }
  return (
    <span className="flex flex-wrap items-center gap-1">
      <LabelControls label={label} isBusy={save.isBusy} onChange={save.run} />
      {save.failure === undefined ? null : (
        <span role="alert" className="text-bad">
          {save.failure.message}
        </span>
      )}
    </span>
  )
}

/** Shows a label as two buttons and a note. A click on the current label removes it. */
export function LabelControls({
  label,
  isBusy,
  onChange,
}: {
  readonly label: RunLabel | undefined
  readonly isBusy: boolean
  readonly onChange: (label: RunLabel | undefined) => void
}): ReactElement {
  const [isEditing, setEditing] = useState(false)
  const saveNote = (value: RunLabel['value'], note: string): void => {
    setEditing(false)
    onChange(note === '' ? { value } : { value, note })
  }
  return (
    <>
      {CHOICES.map(({ value, title, Icon }) => {
        const isChosen = label?.value === value
        return (
          <Button
            key={value}
            tone="quiet"
            size="small"
            title={title}
            aria-label={title}
            aria-pressed={isChosen}
            disabled={isBusy}
            onClick={() => onChange(isChosen ? undefined : { value })}
          >
            <Icon
              aria-hidden="true"
              className={isChosen ? 'size-3.5 fill-current text-accent' : 'size-3.5'}
            />
          </Button>
        )
      })}
      {label === undefined || isEditing ? null : (
        <Button tone="quiet" size="small" disabled={isBusy} onClick={() => setEditing(true)}>
          <MessageSquareText aria-hidden="true" className="size-3.5" />
          <span className="max-w-56 truncate">{label.note ?? 'Add a note'}</span>
        </Button>
      )}
      {label !== undefined && isEditing ? (
        <NoteForm note={label.note ?? ''} onSave={(note) => saveNote(label.value, note)} />
      ) : null}
    </>
  )
}

/** Edits the note of a label. */
function NoteForm({
  note,
  onSave,
}: {
  readonly note: string
  readonly onSave: (note: string) => void
}): ReactElement {
  const [text, setText] = useState(note)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSave(text.trim())
  }
  return (
    <form className="flex min-w-0 items-center gap-1" onSubmit={submit}>
      <TextInput
        aria-label="Note"
        className="max-w-56"
        autoFocus
        maxLength={MAX_NOTE}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" tone="quiet" size="small">
        Save
      </Button>
    </form>
  )
}
