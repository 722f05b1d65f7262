import { useMemo, type ReactElement } from 'react'
import { Block } from './prose-block.tsx'
import { proseTokens } from './prose-tokens.ts'

/**
 * Shows the text of a model as Markdown. HTML is shown as text. Images are not loaded, so that no request
 * leaves the origin.
 */
export function Prose({ text }: { readonly text: string }): ReactElement {
  const tokens = useMemo(() => proseTokens(text), [text])
  return (
    <div className="flex min-w-0 flex-col gap-2.5 leading-relaxed break-words">
      {tokens.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </div>
  )
}
