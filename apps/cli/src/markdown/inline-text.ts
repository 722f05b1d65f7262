import type { Token } from 'marked'
import type { Style } from '../terminal/style.ts'

/** Returns the inline tokens of Markdown as one text for a terminal. */
export function inlineText(tokens: readonly Token[], style: Style): string {
  return tokens.map((token) => oneToken(token, style)).join('')
}

function oneToken(token: Token, style: Style): string {
  const inner = (): string => inlineText('tokens' in token ? (token.tokens ?? []) : [], style)
  switch (token.type) {
    case 'strong':
      return style.bold(inner())
    case 'em':
      return style.italic(inner())
    case 'codespan':
      return codeText(token['text'], style)
    case 'link':
      return linkText(inner(), { href: token['href'], style })
    case 'image':
      return linkText(token['text'], { href: token['href'], style })
    case 'br':
      return '\n'
    case 'checkbox':
      return token['checked'] === true ? '[x] ' : '[ ] '
    case 'escape':
      return token['text']
    case 'text':
      return token['tokens'] === undefined ? token['text'] : inner()
    default:
      // Keep strikethrough, HTML and unknown tokens as they were written.
      return token.raw
  }
}

/** Colours code. Without colours, the backticks stay to mark it. */
function codeText(text: string, style: Style): string {
  const colored = style.cyan(text)
  return colored === text ? `\`${text}\`` : colored
}

/**
 * Returns the text of a link with its address. Showing the address makes it clickable and keeps the target
 * visible.
 */
function linkText(text: string, { href, style }: { readonly href: string; readonly style: Style }): string {
  const shown = href.startsWith('mailto:') ? href.slice('mailto:'.length) : href
  return text === '' || text === shown ? shown : `${text} ${style.dim(`(${shown})`)}`
}
