import { isJsonObject, type Json } from '@troupe/schema'
import { ChevronRight } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { classNames } from './class-names.ts'

/** Members shown at first, because a list of a million would block the page. */
const INITIAL_COUNT = 100

const LONG = 2000

/** Shows a JSON value as a tree. Levels deeper than `open` are collapsed. */
export function JsonView({
  value,
  name,
  open = 1,
}: {
  /** A JSON value. The type is open, because interfaces are not assignable to `Json`. */
  readonly value: unknown
  readonly name?: string
  readonly open?: number
}): ReactElement {
  const [isOpen, setOpen] = useState(open > 0)
  const [visibleCount, setVisibleCount] = useState(INITIAL_COUNT)
  if (!isJsonObject(value) && !Array.isArray(value)) {
    return (
      <div className="py-px pl-4 font-mono text-small break-words whitespace-pre-wrap">
        <Key name={name} />
        <JsonScalar value={value as Exclude<Json, object>} />
      </div>
    )
  }
  const members = Object.entries(value) as [string, Json][]
  const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return (
    <div className="font-mono text-small">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex max-w-full items-center rounded-sm py-px text-left hover:bg-raised"
      >
        <ChevronRight
          aria-hidden="true"
          className={classNames('size-4 shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
        />
        <Key name={name} />
        <span className="text-muted">{isOpen ? left : `${left} ${members.length} ${right}`}</span>
      </button>
      {isOpen ? (
        <div className="ml-2 border-l border-line pl-2">
          {members.slice(0, visibleCount).map(([key, member]) => (
            <JsonView key={key} name={key} value={member} open={open - 1} />
          ))}
          {members.length > visibleCount ? (
            <button
              type="button"
              className="py-px pl-4 text-accent hover:underline"
              onClick={() => setVisibleCount(visibleCount * 10)}
            >
              {members.length - visibleCount} more
            </button>
          ) : null}
        </div>
      ) : null}
      {isOpen ? <div className="pl-4 text-muted">{right}</div> : null}
    </div>
  )
}

function Key({ name }: { readonly name: string | undefined }): ReactElement | null {
  return name === undefined ? null : <span className="mr-1.5 text-accent">{name}:</span>
}

/** Shows a JSON scalar in the colour of its type. Long strings are cut until a person expands them. */
function JsonScalar({ value }: { readonly value: string | number | boolean | null }): ReactElement {
  const [isWhole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className="text-warn">{String(value)}</span>
  if (value.length <= LONG || isWhole) return <span className="text-good">{JSON.stringify(value)}</span>
  return (
    <span className="text-good">
      {JSON.stringify(value.slice(0, LONG))}
      <button type="button" className="ml-2 text-accent hover:underline" onClick={() => setWhole(true)}>
        {value.length - LONG} more characters
      </button>
    </span>
  )
}
