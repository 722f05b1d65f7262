import { createContext, use, useId, type ReactElement, type ReactNode } from 'react'
import type { Footnotes } from './parse.ts'

/** The footnotes of the text that is shown, and a prefix of their ids that is unique in the page. */
const FootnotesContext = createContext<{ readonly footnotes: Footnotes; readonly prefix: string }>({
  footnotes: new Map(),
  prefix: '',
})

/** Provides the footnotes of a text to its references. */
export function FootnotesProvider({
  footnotes,
  children,
}: {
  readonly footnotes: Footnotes
  readonly children: ReactNode
}): ReactElement {
  return <FootnotesContext value={{ footnotes, prefix: useId() }}>{children}</FootnotesContext>
}

/** Shows the number of a footnote. It is a button, because the address of an anchor would be a view of the page. */
export function FootnoteLink({
  label,
  source,
}: {
  readonly label: string
  readonly source: string
}): ReactElement {
  const { footnotes, prefix } = use(FootnotesContext)
  const footnote = footnotes.get(label)
  if (footnote === undefined) return <>{source}</>
  const { number } = footnote
  return (
    <span className="align-super text-[0.75em] leading-none">
      <button
        type="button"
        id={`${prefix}from${number}`}
        aria-label={`Footnote ${number}`}
        className="px-0.5 text-accent hover:underline"
        onClick={() => moveTo(`${prefix}note${number}`)}
      >
        {number}
      </button>
    </span>
  )
}

/** Lists the footnotes that are defined. */
export function FootnoteList({
  render,
}: {
  readonly render: (label: string) => ReactNode
}): ReactElement | null {
  const { footnotes, prefix } = use(FootnotesContext)
  const defined = [...footnotes].filter(([, { token }]) => token !== undefined)
  if (defined.length === 0) return null
  return (
    <ol
      aria-label="Footnotes"
      className="flex flex-col gap-1 border-t border-line pt-2 text-small text-muted"
    >
      {defined.map(([label, { number }]) => (
        <li key={label} id={`${prefix}note${number}`} tabIndex={-1} className="flex gap-1.5 rounded-sm">
          <button
            type="button"
            aria-label={`Back to reference ${number}`}
            className="self-start text-accent tabular hover:underline"
            onClick={() => moveTo(`${prefix}from${number}`)}
          >
            {number}.
          </button>
          <div className="flex min-w-0 flex-col gap-1">{render(label)}</div>
        </li>
      ))}
    </ol>
  )
}

function moveTo(id: string): void {
  const element = document.querySelector<HTMLElement>(`#${CSS.escape(id)}`)
  element?.scrollIntoView({ block: 'nearest' })
  element?.focus({ preventScroll: true })
}
