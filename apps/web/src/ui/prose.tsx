import { lazy, Suspense, type ReactElement } from 'react'

/** Props of {@link Prose}. */
interface ProseProps {
  readonly text: string
  /** True while more text may follow. Half-written marks are then not shown. */
  readonly isStreaming?: boolean
}

// Loaded with the first answer. A text that cannot be rendered is shown as it is.
const MarkdownView = lazy(async () => {
  try {
    return { default: (await import('./markdown/markdown-view.tsx')).MarkdownView }
  } catch {
    return { default: PlainText }
  }
})

/**
 * Shows the text of a model as Markdown. HTML is shown as text. Images are not loaded, so that no request
 * leaves the origin. Only `http` and `https` URLs become links, so that a model cannot create one that runs a
 * script.
 */
export function Prose(props: ProseProps): ReactElement {
  return (
    <div className="flex min-w-0 flex-col gap-2.5 leading-relaxed break-words">
      <Suspense fallback={<PlainText {...props} />}>
        <MarkdownView {...props} />
      </Suspense>
    </div>
  )
}

function PlainText({ text }: ProseProps): ReactElement {
  return (
    <p dir="auto" className="whitespace-pre-wrap">
      {text}
    </p>
  )
}
