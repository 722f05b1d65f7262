import type { JsonObject } from '@troupe/schema'
import type { CallDescription, CallLine, ArgumentPart } from '@troupe/timeline'
import { useState, type ReactElement, type ReactNode } from 'react'
import { classNames } from '../ui/class-names.ts'
import { JsonView } from '../ui/json-view.tsx'

/** Parts of a call that are shown at first. */
const INITIAL_PARTS = 40
/** Lines of a text that are shown at first, and how many more with each click. */
const INITIAL_LINES = 24
const MORE_LINES = 1000
/** Characters of a line that are shown at first. */
const INITIAL_LENGTH = 2000

/** Shows what a tool call will do: a command line, a diff, texts and values, or all arguments as JSON. */
export function CallBody({
  description: { parts, omitted, note },
  args,
}: {
  readonly description: CallDescription
  readonly args: JsonObject
}): ReactElement {
  const [isJson, setJson] = useState(false)
  const [visibleCount, setVisibleCount] = useState(INITIAL_PARTS)
  return (
    <div className="flex min-w-0 flex-col gap-2.5">
      {isJson ? (
        <JsonView value={args} open={2} />
      ) : (
        parts.slice(0, visibleCount).map((part, index) => <Part key={index} part={part} />)
      )}
      {!isJson && parts.length === 0 ? <p className="text-small text-muted">No arguments.</p> : null}
      {!isJson && parts.length > visibleCount ? (
        <MoreButton onClick={() => setVisibleCount(visibleCount * 10)}>
          Show {parts.length - visibleCount} more arguments
        </MoreButton>
      ) : null}
      {!isJson && note !== undefined ? (
        <p dir="auto" className="text-small font-medium wrap-anywhere">
          {note}
        </p>
      ) : null}
      {!isJson && omitted > 0 ? (
        <p className="text-small font-medium text-bad">
          {omitted.toLocaleString()} more characters are only in the JSON. Read them before you allow the
          call.
        </p>
      ) : null}
      <MoreButton isPressed={isJson} onClick={() => setJson(!isJson)}>
        {isJson ? 'Hide JSON' : 'Show JSON'}
      </MoreButton>
    </div>
  )
}

function Part({ part: { kind, label, lines } }: { readonly part: ArgumentPart }): ReactElement {
  const [first] = lines
  if (kind === 'value' && first !== undefined)
    return (
      <p className="flex min-w-0 flex-wrap gap-x-2 text-small">
        <span className="break-all text-muted">{label}</span>
        <span dir="auto" className="min-w-0 font-medium wrap-anywhere whitespace-pre-wrap">
          <FoldedText text={first.text} />
        </span>
      </p>
    )
  const isCode = kind !== 'text'
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="text-tiny font-medium break-all text-muted">{label}</p>
      <div
        dir={isCode ? 'ltr' : 'auto'}
        className={classNames(
          'min-w-0 overflow-hidden rounded-md border border-line bg-panel py-2 text-small',
          isCode && 'font-mono',
        )}
      >
        <Lines kind={kind} lines={lines} />
      </div>
    </div>
  )
}

/** Shows the lines of a text. Long texts are folded until a person opens them. */
function Lines({ kind, lines }: Pick<ArgumentPart, 'kind' | 'lines'>): ReactElement {
  const [visibleCount, setVisibleCount] = useState(INITIAL_LINES)
  const hiddenCount = lines.length - visibleCount
  return (
    <>
      {lines.slice(0, visibleCount).map((line, index) => (
        <Line key={index} line={line} mark={markOf(kind, line, index)} />
      ))}
      {hiddenCount > 0 ? (
        <div className="px-3 pt-1.5">
          <MoreButton onClick={() => setVisibleCount(visibleCount + MORE_LINES)}>
            Show {Math.min(hiddenCount, MORE_LINES).toLocaleString()} more lines
            {hiddenCount > MORE_LINES ? ` of ${hiddenCount.toLocaleString()}` : ''}
          </MoreButton>
        </div>
      ) : null}
    </>
  )
}

/** Returns the mark before a line: its number, the sign of a change, or the prompt of a command line. */
function markOf(kind: ArgumentPart['kind'], { change }: CallLine, index: number): string | undefined {
  if (kind === 'file') return String(index + 1)
  if (kind === 'command') return index === 0 ? '$' : ''
  if (kind !== 'change') return undefined
  return change === undefined ? ' ' : CHANGE_MARKS[change]
}

const CHANGE_MARKS = { added: '+', removed: '−', skipped: '⋯' } as const
/** Elements that say to screen readers that a line was inserted or deleted. */
const CHANGE_ELEMENTS = { added: 'ins', removed: 'del', skipped: 'span' } as const

function Line({
  line: { text, change },
  mark,
}: {
  readonly line: CallLine
  readonly mark: string | undefined
}): ReactElement {
  const Text = change === undefined ? 'span' : CHANGE_ELEMENTS[change]
  return (
    <div
      className={classNames(
        'flex min-w-0 gap-2 px-3',
        change === 'added' && 'bg-good-wash',
        change === 'removed' && 'bg-bad-wash',
        change === 'skipped' && 'text-muted',
      )}
    >
      {mark === undefined ? null : (
        <span
          className={classNames(
            'min-w-5 shrink-0 text-right whitespace-pre text-muted tabular select-none',
            change === 'added' && 'text-good',
            change === 'removed' && 'text-bad',
          )}
        >
          {mark}
        </span>
      )}
      <Text className="min-w-0 grow wrap-anywhere whitespace-pre-wrap no-underline">
        {text === '' ? ' ' : <FoldedText text={text} />}
      </Text>
    </div>
  )
}

function FoldedText({ text }: { readonly text: string }): ReactElement {
  const [isWhole, setWhole] = useState(false)
  if (isWhole || text.length <= INITIAL_LENGTH) return <>{text}</>
  return (
    <>
      {text.slice(0, INITIAL_LENGTH)}
      <MoreButton onClick={() => setWhole(true)}>
        Show {(text.length - INITIAL_LENGTH).toLocaleString()} more characters
      </MoreButton>
    </>
  )
}

function MoreButton({
  isPressed,
  onClick,
  children,
}: {
  readonly isPressed?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}): ReactElement {
  return (
    <button
      type="button"
      aria-expanded={isPressed}
      onClick={onClick}
      className="min-h-6 self-start text-left text-small font-medium text-accent hover:underline pointer-coarse:min-h-11"
    >
      {children}
    </button>
  )
}
