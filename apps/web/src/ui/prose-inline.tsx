import type { Token, Tokens } from 'marked'
import { Fragment, type ReactElement, type ReactNode } from 'react'

/** Shows the inline tokens of a Markdown text. */
export function Inline({ tokens }: { readonly tokens: readonly Token[] }): ReactElement {
  return (
    <>
      {tokens.map((token, index) => (
        <Fragment key={index}>{renderInline(token)}</Fragment>
      ))}
    </>
  )
}

function renderInline(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return (
        <strong className="font-semibold">
          <Inline tokens={(token as Tokens.Strong).tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inline tokens={(token as Tokens.Em).tokens} />
        </em>
      )
    case 'del':
      return (
        <del>
          <Inline tokens={(token as Tokens.Del).tokens} />
        </del>
      )
    case 'codespan':
      return (
        <code className="rounded-sm bg-raised px-1 font-mono text-[0.9em]">
          {(token as Tokens.Codespan).text}
        </code>
      )
    case 'br':
      return <br />
    case 'link':
      return renderLink(token as Tokens.Link)
    case 'image':
      return `[${(token as Tokens.Image).text}](${(token as Tokens.Image).href})`
    case 'escape':
      return (token as Tokens.Escape).text
    default:
      return 'tokens' in token && token.tokens !== undefined ? <Inline tokens={token.tokens} /> : token.raw
  }
}

/**
 * Shows a link. Only `http` and `https` URLs become links, so that a model cannot create one that runs a
 * script.
 */
function renderLink({ href, raw, tokens }: Tokens.Link): ReactNode {
  if (!/^https?:\/\//iu.test(href)) return raw
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer noopener"
      className="text-accent underline underline-offset-2"
    >
      <Inline tokens={tokens} />
    </a>
  )
}
