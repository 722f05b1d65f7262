import type { PromptTemplate, TemplateProblem } from '@troupe/tools/prompt-template'
import type { ReactElement } from 'react'

/** Shows the prompt with highlighted placeholders, exactly behind a transparent text area. */
export function HighlightedPrompt({
  text,
  template,
  problems,
}: {
  readonly text: string
  readonly template: PromptTemplate
  readonly problems: readonly TemplateProblem[]
}): ReactElement {
  const bad = new Set(problems.map(({ start }) => start))
  return (
    <pre
      aria-hidden="true"
      className="pointer-events-none absolute inset-0 overflow-hidden px-3 py-2 font-mono text-small break-words whitespace-pre-wrap"
    >
      {template.map(({ kind, start, end }) => (
        <span
          key={start}
          className={
            kind === 'text'
              ? undefined
              : bad.has(start)
                ? 'rounded-sm bg-bad-wash text-bad underline decoration-wavy underline-offset-4'
                : 'rounded-sm bg-accent-wash text-accent'
          }
        >
          {text.slice(start, end)}
        </span>
      ))}
    </pre>
  )
}
