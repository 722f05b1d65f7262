import { ArrowUp, Square } from 'lucide-react'
import { useEffect, useRef, type ReactElement, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'

/** Shows the text area of the next message. Enter sends, Shift+Enter starts a new line. */
export function Composer({
  text,
  onText,
  agent,
  picks,
  isRunning,
  isLost,
  onSend,
  onStop,
  children,
}: {
  readonly text: string
  readonly onText: (text: string) => void
  readonly agent: string
  /** Counts the texts that were inserted from outside. A change moves the focus to the input. */
  readonly picks: number
  /** True while a run is active. It can be stopped, and the next message cannot be sent yet. */
  readonly isRunning: boolean
  /** True if the server does not respond: nothing can be sent or stopped. */
  readonly isLost: boolean
  readonly onSend: () => void
  readonly onStop: () => void
  /** Settings below the text. */
  readonly children?: ReactNode
}): ReactElement {
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [agent, picks])
  const canSend = !isRunning && !isLost && text.trim() !== ''
  return (
    <form
      className="rounded-xl border border-strong-line bg-panel shadow-sm focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) onSend()
      }}
    >
      <textarea
        ref={area}
        rows={1}
        value={text}
        aria-label={`Message to ${agent}`}
        placeholder={`Message to ${agent}`}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          if (canSend) onSend()
        }}
        className="block field-sizing-content max-h-60 min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 placeholder:text-muted focus-visible:outline-none"
      />
      {isLost ? (
        <p role="status" className="px-3.5 pb-2 text-small text-warn">
          The server does not respond. Your text is kept here; send it when the server is back.
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-1.5 px-2 pb-2">
        {children}
        <div className="ml-auto">
          {isRunning ? (
            <Button key="stop" tone="danger" onClick={onStop} disabled={isLost}>
              <Square aria-hidden="true" className="size-3 fill-current" /> Stop
            </Button>
          ) : (
            <Button key="send" tone="solid" type="submit" disabled={!canSend}>
              <ArrowUp aria-hidden="true" className="size-4" /> Send
            </Button>
          )}
        </div>
      </div>
    </form>
  )
}
