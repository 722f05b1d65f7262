import type { Token } from 'marked'
import { Image, SquareCheck, Square } from 'lucide-react'
import { Fragment, type ReactElement, type ReactNode } from 'react'
import { decodeEntities } from './entities.ts'
import { FootnoteLink } from './footnotes.tsx'
import { Maths } from './maths.tsx'

const WEB_URL = /^https?:\/\//iu
/** A line break in HTML, which models write in tables. */
const BREAK = /^<br[ \t]*\/?>$/iu

/** Shows what is inside a line. */
export function Inline({ tokens }: { readonly tokens: readonly Token[] | undefined }): ReactElement {
  return (
    <>
      {(tokens ?? []).map((token, index) => (
        <Fragment key={index}>{inlineOf(token)}</Fragment>
      ))}
    </>
  )
}

/** Renders a token. HTML and marks that are not supported are shown as their source. */
function inlineOf(token: Token): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? decodeEntities(token.text) : <Inline tokens={token.tokens} />
    case 'escape':
      return token.text
    case 'strong':
      return (
        <strong className="font-semibold">
          <Inline tokens={token.tokens} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      )
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      )
    case 'codespan':
      return (
        <code dir="ltr" className="rounded-sm bg-raised px-1 font-mono text-[0.9em]">
          {token.text}
        </code>
      )
    case 'br':
      return <br />
    case 'html':
      return BREAK.test(token.raw) ? <br /> : token.raw
    case 'link':
    case 'image':
      return linkOf(token as LinkToken)
    case 'checkbox':
      return <TaskBox isDone={token['checked'] === true} />
    case 'maths':
      return <Maths tex={String(token['tex'])} isDisplay={token['isDisplay'] === true} />
    case 'footnoteReference':
      return <FootnoteLink label={String(token['label'])} source={token.raw} />
    default:
      return token.raw
  }
}

/** A link or a picture. */
interface LinkToken {
  readonly type: 'link' | 'image'
  readonly raw: string
  readonly href: string
  readonly text: string
  /** True for a bare address, in which character references are not resolved. */
  readonly autolink?: boolean
  readonly tokens?: readonly Token[]
}

/**
 * Renders a link to the web. Others are shown as their source, so that a model cannot create one that runs a
 * script or opens a view of the page. A picture is a link, because loading it would be a request.
 */
function linkOf({ type, raw, href, text, autolink, tokens }: LinkToken): ReactNode {
  const url = autolink === true ? href : decodeEntities(href)
  if (!WEB_URL.test(url)) return raw
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer noopener"
      className="text-accent underline underline-offset-2"
    >
      {type === 'image' ? (
        <>
          <Image aria-hidden="true" className="mr-1 inline size-[1em]" />
          {text === '' ? url : decodeEntities(text)}
        </>
      ) : autolink === true ? (
        text
      ) : (
        <Inline tokens={tokens} />
      )}
    </a>
  )
}

function TaskBox({ isDone }: { readonly isDone: boolean }): ReactElement {
  const Icon = isDone ? SquareCheck : Square
  return (
    <span role="img" aria-label={isDone ? 'Done' : 'Not done'} className="me-1.5">
      <Icon
        aria-hidden="true"
        className={
          isDone
            ? 'inline size-[1.05em] align-[-0.15em] text-good'
            : 'inline size-[1.05em] align-[-0.15em] text-muted'
        }
      />
    </span>
  )
}
