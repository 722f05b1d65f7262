import type { Token } from 'marked'
import { useMemo, useState, type ReactElement } from 'react'
import { CodeBlock } from '../code/code-block.tsx'
import { Block, Blocks } from './blocks.tsx'
import { FootnoteList, FootnotesProvider } from './footnotes.tsx'
import { createMarkdownReader } from './read-markdown.ts'

/** Shows Markdown, also while it is being written. */
export function MarkdownView({
  text,
  isStreaming = false,
}: {
  readonly text: string
  readonly isStreaming?: boolean
}): ReactElement {
  const [read] = useState(createMarkdownReader)
  const document = useMemo(() => read(text, isStreaming), [read, text, isStreaming])
  if (document === undefined) return <CodeBlock code={text} />
  const { blocks, footnotes, version } = document
  const levels = headingLevels(blocks)
  return (
    <FootnotesProvider footnotes={footnotes}>
      {blocks.map((token, index) => (
        <Block
          key={index}
          token={token}
          level={levels.get(token)}
          isOpen={isStreaming && index === blocks.length - 1}
          version={version}
        />
      ))}
      <FootnoteList render={(label) => <Blocks tokens={footnotes.get(label)?.token?.tokens ?? []} />} />
    </FootnotesProvider>
  )
}

/** The first two levels are headings of the page and of its parts. */
const OUTER_LEVELS = 2

/** Returns the levels of the headings in the page, so that none is left out between two of them. */
function headingLevels(blocks: readonly Token[]): ReadonlyMap<Token, number> {
  const levels = new Map<Token, number>()
  let above = OUTER_LEVELS
  for (const token of blocks) {
    if (token.type !== 'heading') continue
    above = Math.min(above + 1, OUTER_LEVELS + Number(token.depth), 6)
    levels.set(token, above)
  }
  return levels
}
