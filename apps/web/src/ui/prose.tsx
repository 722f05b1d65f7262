import { Children, useMemo, type ReactElement, type ReactNode } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

/** Maximum length of a text that is parsed as Markdown: 0.4 s for lists and links. Longer texts are shown as code. */
const MAX_LENGTH = 50_000
/** Maximum nesting depth. A browser fails on much deeper elements. */
const MAX_DEPTH = 100
/** A line that opens more quotes and lists than that. The parser needs quadratic time for them. */
const DEEP_LINE = /^[ \t]*(?:(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])[ \t]*){100}/mu

const WEB_URL = /^https?:\/\//iu

const COMPONENTS: Components = {
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  p: ({ children }) => <p className="whitespace-pre-wrap">{children}</p>,
  // The line feed that follows is shown, as white space is preserved.
  br: () => null,
  strong: ({ children }) => <strong className="font-semibold">{children}</strong>,
  code: ({ children }) => (
    <code className="rounded-sm bg-raised px-1 font-mono text-[0.9em]">{children}</code>
  ),
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  ol: ({ start, children }) => (
    <ol start={start} className="flex list-decimal flex-col gap-1 pl-6">
      {children}
    </ol>
  ),
  ul: ({ children }) => <ul className="flex list-disc flex-col gap-1 pl-5">{children}</ul>,
  // Without the line feeds between the blocks.
  li: ({ children }) => (
    <li className="pl-1">{Children.toArray(children).filter((child) => child !== '\n')}</li>
  ),
  input: ({ checked }) => (checked === true ? '[x]' : '[ ]'),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line pl-3 text-muted">{children}</blockquote>
  ),
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table className="border-collapse text-small">{children}</table>
    </div>
  ),
  th: ({ children }) => (
    <th className="border-b border-line px-2 py-1 text-left font-semibold">{children}</th>
  ),
  td: ({ children }) => <td className="border-b border-line/60 px-2 py-1 align-top tabular">{children}</td>,
  hr: () => <hr className="border-line" />,
  a: ({ href, children }) =>
    href !== undefined && WEB_URL.test(href) ? (
      <a
        href={href}
        target="_blank"
        rel="noreferrer noopener"
        className="text-accent underline underline-offset-2"
      >
        {children}
      </a>
    ) : (
      children
    ),
  img: ({ alt, src }) => `[${alt ?? ''}](${typeof src === 'string' ? src : ''})`,
}

/**
 * Shows the text of a model as Markdown. HTML is shown as text. Images are not loaded, so that no request
 * leaves the origin. Only `http` and `https` URLs become links, so that a model cannot create one that runs a
 * script.
 */
export function Prose({ text }: { readonly text: string }): ReactElement {
  const content = useMemo(() => renderMarkdown(text), [text])
  return <div className="flex min-w-0 flex-col gap-2.5 leading-relaxed break-words">{content}</div>
}

function renderMarkdown(text: string): ReactElement {
  if (text.length > MAX_LENGTH || DEEP_LINE.test(text)) return <CodeBlock>{text}</CodeBlock>
  try {
    return Markdown({ children: text, remarkPlugins: [remarkGfm, keepSource], components: COMPONENTS })
  } catch {
    // Nested too deeply: the parser, or `keepSource`.
    return <CodeBlock>{text}</CodeBlock>
  }
}

function Heading({ children }: { readonly children?: ReactNode }): ReactElement {
  return <p className="mt-1 font-semibold">{children}</p>
}

function CodeBlock({ children }: { readonly children?: ReactNode }): ReactElement {
  return (
    <pre className="overflow-x-auto rounded-md border border-line bg-raised px-3 py-2 font-mono text-small leading-relaxed whitespace-pre-wrap [&>code]:p-0 [&>code]:text-[1em]">
      {children}
    </pre>
  )
}

/** A node of a Markdown document, as far as {@link keepSource} reads and changes it. */
interface MarkdownNode {
  readonly type: string
  readonly url?: string
  readonly value?: string
  readonly children?: MarkdownNode[]
  /** True if the items of a list are paragraphs. */
  spread?: boolean
  readonly position?: { readonly start: SourcePoint; readonly end: SourcePoint }
}

interface SourcePoint {
  readonly offset?: number
}

const BLOCKS: ReadonlySet<string> = new Set(['root', 'blockquote', 'listItem'])

/**
 * A remark plugin that keeps the source of what is not rendered: blocks of HTML, links that do not lead to the
 * web, and footnotes, whose links would be routes of the page. Throws if the document is nested too deeply.
 */
function keepSource(): (document: MarkdownNode, file: { toString(): string }) => void {
  return (document, file) => keepSourceBelow(document, String(file), 0)
}

function keepSourceBelow(parent: MarkdownNode, source: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new RangeError('The text is nested too deeply.')
  for (const [index, node] of parent.children?.entries() ?? []) {
    if (isKept(node, parent)) {
      const text: MarkdownNode = { type: 'text', value: sourceOf(node, source) }
      parent.children?.splice(
        index,
        1,
        BLOCKS.has(parent.type) ? { type: 'paragraph', children: [text] } : text,
      )
    } else {
      if (node.type === 'list' || node.type === 'listItem') node.spread = true
      keepSourceBelow(node, source, depth + 1)
    }
  }
}

function isKept({ type, url, position }: MarkdownNode, parent: MarkdownNode): boolean {
  if (type === 'html') return BLOCKS.has(parent.type)
  if (type === 'link') return position !== undefined && !WEB_URL.test(url ?? '')
  return type === 'footnoteReference' || type === 'footnoteDefinition'
}

function sourceOf({ position }: MarkdownNode, source: string): string {
  return source.slice(position?.start.offset, position?.end.offset)
}
