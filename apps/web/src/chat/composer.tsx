import { ArrowUp, Paperclip, Square } from 'lucide-react'
import {
  useEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from 'react'
import { Button, buttonClasses } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Notice } from '../ui/notice.tsx'
import { AttachmentChips } from './attachment-chips.tsx'
import { addFiles, bytesForFiles } from './attachments.ts'
import type { Draft } from './drafts.ts'
import { newId } from './new-id.ts'

/** Shows the input for the next message. */
export function Composer({
  draft,
  onDraft,
  agent,
  focusKey,
  history,
  isRunning,
  isLost,
  maxBodyBytes,
  onSend,
  onStop,
  children,
}: {
  readonly draft: Draft
  readonly onDraft: (change: (before: Draft) => Draft) => void
  readonly agent: string
  /** A change moves the focus to the input. */
  readonly focusKey: string
  /** Earlier messages of the person, the newest last. */
  readonly history: readonly string[]
  /** True while a run is active. It can be stopped, and the next message is sent after it. */
  readonly isRunning: boolean
  /** True if the server does not respond: nothing can be sent or stopped. */
  readonly isLost: boolean
  /** Maximum size of a request that the server accepts. */
  readonly maxBodyBytes: number
  readonly onSend: () => void
  readonly onStop: () => void
  /** Settings below the text. */
  readonly children?: ReactNode
}): ReactElement {
  const area = useRef<HTMLTextAreaElement>(null)
  const [problems, setProblems] = useState<readonly string[]>([])
  const [isDropping, setDropping] = useState(false)
  const [recalled, setRecalled] = useState<number>()
  const { text, files } = draft
  useEffect(() => area.current?.focus(), [focusKey])
  const canSend = !isLost && (text.trim() !== '' || files.length > 0)
  const attach = (added: readonly File[]): void => {
    if (added.length === 0) return
    void addFiles(files, added, { maxBytes: bytesForFiles(maxBodyBytes), newId }).then((result) => {
      setProblems(result.problems)
      onDraft((before) => ({ ...before, files: result.files }))
    })
  }
  const submit = (): void => {
    if (!canSend) return
    setProblems([])
    setRecalled(undefined)
    onSend()
  }
  const recall = (index: number): void => {
    const isBack = index < history.length
    setRecalled(isBack ? index : undefined)
    onDraft((before) => ({ ...before, text: isBack ? (history[index] ?? '') : '' }))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return
    const isRecalling = recalled !== undefined && history[recalled] === text
    if (event.key === 'Enter' && sendsOnEnter(event)) {
      event.preventDefault()
      submit()
    } else if (event.key === 'ArrowUp' && (text === '' || isRecalling)) {
      const index = (isRecalling ? recalled : history.length) - 1
      if (index < 0) return
      event.preventDefault()
      recall(index)
    } else if (event.key === 'ArrowDown' && isRecalling) {
      event.preventDefault()
      recall(recalled + 1)
    } else if (event.key === 'Backspace' && text === '' && files.length > 0) {
      event.preventDefault()
      onDraft((before) => ({ ...before, files: before.files.slice(0, -1) }))
    }
  }
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData.files]
    // programs also offer an image of copied text
    if (pasted.length === 0 || event.clipboardData.types.includes('text/plain')) return
    event.preventDefault()
    attach(pasted)
  }
  return (
    <form
      className={classNames(
        'rounded-xl border bg-panel shadow-sm focus-within:border-accent',
        isDropping ? 'border-accent bg-accent-wash' : 'border-strong-line',
      )}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setDropping(true)
      }}
      onDragLeave={() => setDropping(false)}
      onDrop={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setDropping(false)
        attach([...event.dataTransfer.files])
      }}
    >
      {problems.length === 0 ? null : (
        <Notice tone="bad" className="m-2">
          {problems.map((problem, index) => (
            <p key={index}>{problem}</p>
          ))}
        </Notice>
      )}
      {files.length === 0 ? null : (
        <div className="px-3 pt-3">
          <AttachmentChips
            files={files}
            onRemove={(id) =>
              onDraft((before) => ({ ...before, files: before.files.filter((file) => file.id !== id) }))
            }
          />
        </div>
      )}
      <textarea
        ref={area}
        rows={1}
        dir="auto"
        value={text}
        aria-label={`Message to ${agent}`}
        placeholder={isRunning ? `Next message to ${agent}` : `Message to ${agent}`}
        onChange={(event) => {
          const { value } = event.target
          onDraft((before) => ({ ...before, text: value }))
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="block field-sizing-content max-h-60 min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 placeholder:text-muted focus-visible:outline-none"
      />
      {isLost ? (
        <p role="status" className="px-3.5 pb-2 text-small text-warn">
          The server does not respond. Your text is kept here; send it when the server is back.
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-1.5 px-2 pb-2">
        <label
          title="Add images, PDF or text files"
          className={buttonClasses(
            'quiet',
            'narrow',
            'cursor-pointer focus-within:outline-2 focus-within:outline-accent pointer-coarse:h-11',
          )}
        >
          <Paperclip aria-hidden="true" className="size-4" />
          <input
            type="file"
            multiple
            aria-label="Add files"
            className="sr-only"
            onChange={(event) => {
              attach([...(event.target.files ?? [])])
              // the same file can be chosen again
              event.target.value = ''
            }}
          />
        </label>
        {children}
        <div className="ml-auto flex gap-1.5">
          {isRunning ? (
            <Button tone="danger" className="pointer-coarse:h-11" onClick={onStop} disabled={isLost}>
              <Square aria-hidden="true" className="size-3 fill-current" /> Stop
            </Button>
          ) : null}
          {isRunning && !canSend ? null : (
            <Button
              tone={isRunning ? 'outline' : 'solid'}
              type="submit"
              className="pointer-coarse:h-11"
              disabled={!canSend}
            >
              <ArrowUp aria-hidden="true" className="size-4" /> {isRunning ? 'Queue' : 'Send'}
            </Button>
          )}
        </div>
      </div>
    </form>
  )
}

/** Returns true if Enter sends the message. On touch screens it breaks the line, because Shift is hard to reach. */
function sendsOnEnter({ shiftKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey) return true
  return !shiftKey && !matchMedia('(pointer: coarse)').matches
}
