import { Clock, Pencil, RotateCw, X } from 'lucide-react'
import type { ReactElement } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { FailureNotice } from '../ui/notice.tsx'
import type { MessageQueue, QueuedMessage } from './message-queue.ts'

/** Lists the messages that are not sent yet. Each can be edited or taken back. */
export function QueuedMessages({
  queue,
  isLost,
  onEdit,
  onRemove,
  onSend,
}: {
  readonly queue: MessageQueue
  readonly isLost: boolean
  readonly onEdit: (message: QueuedMessage) => void
  readonly onRemove: (id: string) => void
  /** Sends held messages. */
  readonly onSend: () => void
}): ReactElement | null {
  const shown = queue.filter(({ state }) => state !== 'sending')
  const [first] = shown
  if (first === undefined) return null
  const isHeld = first.state === 'held'
  return (
    <section
      aria-label="Messages to send"
      className="mb-2 flex flex-col gap-2 rounded-xl border border-line bg-raised p-2"
    >
      <div className="flex flex-wrap items-center gap-2 px-1 text-small text-muted">
        <Clock aria-hidden="true" className="size-3.5" />
        <p className="grow">{note(first)}</p>
        {isHeld ? (
          <Button onClick={onSend} disabled={isLost}>
            <RotateCw aria-hidden="true" className="size-3.5" /> Send {shown.length === 1 ? 'it' : 'them'}
          </Button>
        ) : null}
      </div>
      {first.failure === undefined ? null : <FailureNotice failure={first.failure} />}
      <ul className="flex max-h-48 flex-col gap-1 overflow-auto">
        {shown.map((message) => (
          <li key={message.id} className="flex items-center gap-1 rounded-lg bg-panel pl-3">
            <p dir="auto" className="line-clamp-2 min-w-0 grow py-1.5 text-small break-words">
              {message.text}
              {message.files.length === 0 ? null : (
                <span className="text-muted">
                  {' '}
                  ({message.files.length} {message.files.length === 1 ? 'file' : 'files'})
                </span>
              )}
            </p>
            <IconButton
              label="Edit this message"
              className="pointer-coarse:size-11"
              onClick={() => onEdit(message)}
            >
              <Pencil aria-hidden="true" className="size-3.5" />
            </IconButton>
            <IconButton
              label="Take this message back"
              className="pointer-coarse:size-11"
              onClick={() => onRemove(message.id)}
            >
              <X aria-hidden="true" className="size-3.5" />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

function note({ state, failure }: QueuedMessage): string {
  if (state === 'waiting') return 'Sent when the answer ends'
  return failure === undefined ? 'Not sent, because you stopped the answer' : 'Not sent'
}
