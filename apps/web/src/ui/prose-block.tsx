import type { Token, Tokens } from 'marked'
import type { ReactElement } from 'react'
import { Inline } from './prose-inline.tsx'

/** Shows a block of a Markdown text. */
export function Block({ token }: { readonly token: Token }): ReactElement | null {
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'heading':
      return (
        <p className="mt-1 font-semibold">
          <Inline tokens={(token as Tokens.Heading).tokens} />
        </p>
      )
    case 'code':
      return (
        <pre className="overflow-x-auto rounded-md border border-line bg-raised px-3 py-2 font-mono text-small leading-relaxed whitespace-pre-wrap">
          {(token as Tokens.Code).text}
        </pre>
      )
    case 'list':
      return <List list={token as Tokens.List} />
    case 'blockquote':
      return (
        <blockquote className="border-l-2 border-line pl-3 text-muted">
          <Blocks tokens={(token as Tokens.Blockquote).tokens} />
        </blockquote>
      )
    case 'table':
      return <Table table={token as Tokens.Table} />
    case 'hr':
      return <hr className="border-line" />
    case 'paragraph':
    case 'text':
      return (
        <p className="whitespace-pre-wrap">
          <Inline tokens={(token as Tokens.Paragraph).tokens ?? [token]} />
        </p>
      )
    default:
      return <p className="whitespace-pre-wrap">{token.raw}</p>
  }
}

function Blocks({ tokens }: { readonly tokens: readonly Token[] }): ReactElement {
  return (
    <>
      {tokens.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </>
  )
}

function List({ list }: { readonly list: Tokens.List }): ReactElement {
  const items = list.items.map((item, index) => (
    <li key={index} className="pl-1">
      <Blocks tokens={item.tokens} />
    </li>
  ))
  return list.ordered ? (
    <ol start={list.start === '' ? 1 : list.start} className="flex list-decimal flex-col gap-1 pl-6">
      {items}
    </ol>
  ) : (
    <ul className="flex list-disc flex-col gap-1 pl-5">{items}</ul>
  )
}

function Table({ table }: { readonly table: Tokens.Table }): ReactElement {
  return (
    <div className="overflow-x-auto">
      <table className="border-collapse text-small">
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} className="border-b border-line px-2 py-1 text-left font-semibold">
                <Inline tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} className="border-b border-line/60 px-2 py-1 align-top tabular">
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
