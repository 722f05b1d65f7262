import { createHash } from 'node:crypto'
import { html, type Markup } from './markup.ts'

/** The parts of a page. */
export interface HtmlPageParts {
  readonly title: string
  /** The content of `body`. */
  readonly body: Markup
  /** A style sheet. */
  readonly style: string
  /** A script that runs after the body. It is not escaped. */
  readonly script: string
}

/**
 * Returns an HTML file that needs no server and can send no requests: its policy allows nothing but its own
 * style sheet and script.
 */
export function htmlPage({ title, body, style, script }: HtmlPageParts): string {
  const policy = [
    `default-src 'none'`,
    `script-src '${sourceDigest(script)}'`,
    `style-src '${sourceDigest(style)}'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ')
  // Whole elements, because the digests include every space.
  const styleElement: Markup = { html: `<style>${style}</style>` }
  const scriptElement: Markup = { html: `<script>${script}</script>` }
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>${body}</main>
        ${scriptElement}
      </body>
    </html> `.html
}

function sourceDigest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
