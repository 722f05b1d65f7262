import type { Links, Token } from 'marked'
import { finishedLength, mendEnd } from './half-written.ts'
import { collectFootnotes, isParsable, normalizeLines, parseBlocks, type Footnotes } from './parse.ts'

/** A parsed text. */
export interface MarkdownDocument {
  readonly blocks: readonly Token[]
  readonly footnotes: Footnotes
  /** Changes if a block is shown differently although its source is the same. */
  readonly version: string
}

/** Parses a text that may grow. Returns `undefined` for a text that is too long or nested too deeply. */
export type MarkdownReader = (text: string, isStreaming: boolean) => MarkdownDocument | undefined

/** The part of a growing text that is parsed once. */
interface FinishedPart {
  readonly text: string
  readonly blocks: readonly Token[]
  readonly links: Links
}

const NOTHING: FinishedPart = { text: '', blocks: [], links: {} }

/**
 * Creates a reader that parses only the end of a growing text again. The result depends only on the text,
 * except for links that are defined after their use: they appear at the end.
 */
export function createMarkdownReader(): MarkdownReader {
  let finished = NOTHING
  return (source, isStreaming) => {
    const text = normalizeLines(source)
    if (!isParsable(text)) return undefined
    try {
      if (!isStreaming) return toDocument(parseBlocks(text), { text, isStreaming })
      if (!text.startsWith(finished.text)) finished = NOTHING
      finished = extend(finished, text)
      const end = parseBlocks(mendEnd(text.slice(finished.text.length)), finished.links)
      return toDocument(
        { blocks: [...finished.blocks, ...end.blocks], links: end.links },
        { text, isStreaming },
      )
    } catch {
      // nested too deeply
      return undefined
    }
  }
}

function extend(finished: FinishedPart, text: string): FinishedPart {
  const rest = text.slice(finished.text.length)
  const length = finishedLength(rest)
  if (length === 0) return finished
  const { blocks, links } = parseBlocks(rest.slice(0, length), finished.links)
  return {
    text: finished.text + rest.slice(0, length),
    blocks: [...finished.blocks, ...blocks],
    links,
  }
}

function toDocument(
  { blocks, links }: { readonly blocks: readonly Token[]; readonly links: Links },
  { text, isStreaming }: { readonly text: string; readonly isStreaming: boolean },
): MarkdownDocument {
  const footnotes: Footnotes = text.includes('[^') ? collectFootnotes(blocks, isStreaming) : new Map()
  return { blocks, footnotes, version: JSON.stringify([links, [...footnotes.keys()]]) }
}
