import type { Token, Tokens } from 'marked'
import { createElement, memo, type ReactElement, type ReactNode } from 'react'
import { CodeBlock } from '../code/code-block.tsx'
import { readCodeInfo } from '../code/code-info.ts'
import { Diagram } from '../code/diagram.tsx'
import { textDirection } from './direction.ts'
import type { FootnoteToken, MathsToken } from './extensions.ts'
import { isOpenFence } from './half-written.ts'
import { Inline } from './inline.tsx'
import { Maths } from './maths.tsx'

/** Props of a block. */
interface BlockProps {
  readonly token: Token
  /** Level of a heading in the page; `undefined` inside other blocks. */
  readonly level?: number | undefined
  /** True for the last block of a text that is still being written. */
  readonly isOpen?: boolean
  /** Changes if the block is shown differently although its source is the same. */
  readonly version?: string
}

/** Shows a block of Markdown. It is rendered again only if its source changes. */
export const Block: (props: BlockProps) => ReactNode = memo(
  ({ token, level, isOpen = false }: BlockProps) => blockOf(token as BlockToken, { level, isOpen }),
  (before, after) =>
    (before.token === after.token || before.token.raw === after.token.raw) &&
    before.token.type === after.token.type &&
    before.level === after.level &&
    before.isOpen === after.isOpen &&
    before.version === after.version,
)

/** A token of a block. */
type BlockToken =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.HTML
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Hr
  | Tokens.Space
  | Tokens.Def
  | Tokens.Text
  | MathsToken
  | FootnoteToken

/** Shows blocks inside another one. */
export function Blocks({ tokens }: { readonly tokens: readonly Token[] }): ReactElement {
  return (
    <>
      {tokens.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </>
  )
}

function blockOf(
  token: BlockToken,
  { level, isOpen }: { readonly level: number | undefined; readonly isOpen: boolean },
): ReactNode {
  switch (token.type) {
    case 'heading':
      return createElement(
        level === undefined ? 'p' : `h${level}`,
        { dir: 'auto', className: headingClass(token.depth) },
        <Inline tokens={token.tokens} />,
      )
    case 'paragraph':
      return (
        <p dir="auto" className="whitespace-pre-wrap">
          <Inline tokens={token.tokens} />
        </p>
      )
    case 'html':
      return (
        <p dir="auto" className="whitespace-pre-wrap">
          {token.text.trimEnd()}
        </p>
      )
    case 'code': {
      const isWritten = isOpen && isOpenFence(token.raw)
      if (!isWritten && readCodeInfo(token.lang).language === 'mermaid') return <Diagram code={token.text} />
      return <CodeBlock code={token.text} info={token.lang} isOpen={isWritten} />
    }
    case 'blockquote':
      return (
        <blockquote
          dir={textDirection(token.text)}
          className="flex flex-col gap-2 border-s-2 border-line ps-3 text-muted"
        >
          <Blocks tokens={token.tokens} />
        </blockquote>
      )
    case 'list':
      return <List list={token} />
    case 'table':
      return <Table table={token} />
    case 'hr':
      return <hr className="border-line" />
    case 'maths':
      return <Maths tex={token.tex} isDisplay />
    // the text of an item of a list
    case 'text':
      return <Inline tokens={token.tokens ?? [token]} />
    default:
      return null
  }
}

function headingClass(depth: number): string {
  if (depth === 1) return 'mt-2 text-[1.25em] leading-snug font-semibold'
  return depth === 2 ? 'mt-2 text-[1.12em] leading-snug font-semibold' : 'mt-1 font-semibold'
}

function List({ list }: { readonly list: Tokens.List }): ReactElement {
  const { ordered, start, items, raw } = list
  const isTasks = items.every(({ task }) => task)
  const children = items.map((item, index) => <Item key={index} item={item} />)
  const dir = textDirection(raw)
  if (ordered)
    return (
      <ol dir={dir} start={start === '' ? 1 : start} className="flex list-decimal flex-col gap-1 ps-6">
        {children}
      </ol>
    )
  return (
    // without markers, Safari removes the role of a list
    <ul
      dir={dir}
      {...(isTasks ? { role: 'list' } : {})}
      className={isTasks ? 'flex flex-col gap-1' : 'flex list-disc flex-col gap-1 ps-5'}
    >
      {children}
    </ul>
  )
}

/** Shows an item of a list. Its line feeds are shown, and those between its blocks are not. */
function Item({ item }: { readonly item: Tokens.ListItem }): ReactElement {
  const parts: ReactElement[] = []
  let line: Token[] = []
  const endLine = (): void => {
    if (line.length > 0)
      parts.push(
        <p key={parts.length} dir="auto" className="whitespace-pre-wrap">
          <Inline tokens={line} />
        </p>,
      )
    line = []
  }
  for (const token of item.tokens) {
    if (token.type === 'text' || token.type === 'checkbox') line.push(token)
    else {
      endLine()
      parts.push(<Block key={parts.length} token={token} />)
    }
  }
  endLine()
  return <li className="ps-1 [&>*+*]:mt-1.5">{parts}</li>
}

const ALIGNMENTS = { left: 'text-left', center: 'text-center', right: 'text-right' } as const

function Table({ table }: { readonly table: Tokens.Table }): ReactElement {
  const { header, rows, raw } = table
  const classOf = (cell: Tokens.TableCell): string =>
    cell.align === null ? 'text-start' : ALIGNMENTS[cell.align]
  return (
    <div role="group" aria-label="Table" tabIndex={0} className="max-w-full overflow-x-auto rounded-sm">
      <table dir={textDirection(raw)} className="border-collapse text-small">
        <thead>
          <tr>
            {header.map((cell, column) => (
              <th
                key={column}
                dir="auto"
                scope="col"
                className={`border-b border-strong-line px-2 py-1 font-semibold ${classOf(cell)}`}
              >
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td
                  key={column}
                  dir="auto"
                  className={`border-b border-line/60 px-2 py-1 align-top tabular ${classOf(cell)}`}
                >
                  <Inline tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
