import { useEffect, useId, useState, type ReactElement } from 'react'
import { CopyButton } from '../button.tsx'
import { classNames } from '../class-names.ts'
import { readCodeInfo } from './code-info.ts'
import type { CodeSpan } from './highlight.ts'

/** Blocks with more lines are folded. */
const FOLDED_LINES = 30
/** Maximum length of code that is highlighted, which takes 0.1 s. */
const MAX_HIGHLIGHTED = 50_000
/** Maximum length of code that is in the page while the block is folded. */
const MAX_FOLDED = 20_000

/** Shows code with its language or file name and a button to copy it. Long code is folded. */
export function CodeBlock({
  code,
  info,
  isOpen = false,
}: {
  readonly code: string
  /** Text after the opening fence, such as `ts` or `src/app.ts`. */
  readonly info?: string | undefined
  /** True while the code is being written. It is highlighted at its end. */
  readonly isOpen?: boolean
}): ReactElement {
  const { label, language } = readCodeInfo(info)
  const spans = useHighlighted(code, isOpen ? undefined : language)
  const [isUnfolded, setUnfolded] = useState(false)
  const id = useId()
  const lines = countLines(code)
  const isLong = lines > FOLDED_LINES || code.length > MAX_FOLDED
  const isFolded = isLong && !isUnfolded
  return (
    <div dir="ltr" className="min-w-0 overflow-hidden rounded-md border border-line bg-raised text-left">
      <div className="flex h-8 items-center justify-between ps-3 pe-0.5">
        <span className="truncate font-mono text-tiny text-muted">{label}</span>
        <CopyButton text={code} label="Copy code" />
      </div>
      <pre
        id={id}
        role="group"
        aria-label={`Code, ${label}`}
        tabIndex={0}
        className={classNames(
          'overflow-x-auto px-3 pb-2.5 font-mono text-small leading-relaxed -outline-offset-2',
          isFolded && 'folded max-h-96 overflow-y-hidden',
        )}
      >
        <code>
          {spans === undefined
            ? isFolded
              ? code.slice(0, MAX_FOLDED)
              : code
            : spans.map(({ text, className }, index) => (
                <span key={index} className={className}>
                  {text}
                </span>
              ))}
        </code>
      </pre>
      {isLong ? (
        <button
          type="button"
          aria-expanded={isUnfolded}
          aria-controls={id}
          className="min-h-8 w-full border-t border-line px-3 text-left text-small text-accent -outline-offset-2 hover:underline"
          onClick={() => setUnfolded(!isUnfolded)}
        >
          {isUnfolded ? 'Show less' : lines > 1 ? `Show all ${lines} lines` : 'Show all'}
        </button>
      ) : null}
    </div>
  )
}

function countLines(code: string): number {
  let lines = 1
  for (let index = code.indexOf('\n'); index !== -1; index = code.indexOf('\n', index + 1)) lines += 1
  return code.endsWith('\n') ? lines - 1 : lines
}

/** Returns the highlighted code once it is there. */
function useHighlighted(code: string, language: string | undefined): readonly CodeSpan[] | undefined {
  const [result, setResult] = useState<{ readonly code: string; readonly spans: readonly CodeSpan[] }>()
  useEffect(() => {
    if (language === undefined || code.length > MAX_HIGHLIGHTED) return undefined
    let isCurrent = true
    void loadAndHighlight(code, language).then((spans) => {
      if (isCurrent && spans !== undefined) setResult({ code, spans })
    })
    return () => {
      isCurrent = false
    }
  }, [code, language])
  return result?.code === code ? result.spans : undefined
}

/** Returns `undefined` for a language that is not known, and if its grammar cannot be loaded. */
async function loadAndHighlight(code: string, language: string): Promise<readonly CodeSpan[] | undefined> {
  try {
    const { highlight } = await import('./highlight.ts')
    return await highlight(code, language)
  } catch {
    return undefined
  }
}
