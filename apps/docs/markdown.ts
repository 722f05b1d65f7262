import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/** The `env` of a page while it is rendered. */
interface PageEnv {
  /** Absolute path of the Markdown file, before rewrites. */
  readonly realPath?: string
  readonly path: string
}

/**
 * Makes the pages of this repository fit for VitePress: braces are no expressions of Vue, comments are left out, the
 * path of a file stands above its text, links lead to the pages of the site, and a link to another file of the
 * repository becomes its text. Throws for a link to a file that does not exist.
 */
export function adaptMarkdown(
  md: MarkdownRenderer,
  { root, pageOf }: { readonly root: string; pageOf(file: string): string | undefined },
): void {
  md.set({ html: false })
  for (const name of ['text', 'code_inline'] as const) {
    const render = md.renderer.rules[name]
    if (render === undefined) continue
    md.renderer.rules[name] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
  }
  const renderFence = md.renderer.rules.fence
  if (renderFence !== undefined)
    md.renderer.rules.fence = (tokens, index, ...rest) => {
      const path = FILE.exec(tokens[index]?.info ?? '')?.groups?.['path']
      const title = path === undefined ? '' : `<p class="file-path">${md.utils.escapeHtml(path)}</p>`
      return `${title}${renderFence(tokens, index, ...rest)}`
    }
  md.core.ruler.push('comments', (state) => {
    state.tokens = state.tokens.filter(({ content }, index, all) => {
      const isComment = [content, all[index - 1]?.content, all[index + 1]?.content].some(
        (text) => text !== undefined && COMMENT.test(text),
      )
      return !isComment
    })
  })
  md.core.ruler.push('links-to-files', (state) => {
    const { realPath, path } = state.env as PageEnv
    const page = realPath ?? path
    const open: boolean[] = []
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'link_close' && open.pop() === true) token.tag = 'span'
      if (token.type !== 'link_open') continue
      const href = token.attrGet('href') ?? ''
      const link = LOCAL.exec(href)?.groups
      const target =
        link === undefined
          ? href
          : linkTo(resolve(dirname(page), decodeURI(link['file'] ?? '')), link['hash'])
      open.push(target === undefined)
      if (target === undefined) Object.assign(token, { tag: 'span', type: 'span_open', attrs: [] })
      else token.attrSet('href', target)
    }
  })

  /** Returns the address of a file on the site; `undefined` if it is not part of it. */
  function linkTo(file: string, hash = ''): string | undefined {
    if (!existsSync(file))
      throw new Error(`There is a link to ${relative(root, file)}, which does not exist.`)
    const target = pageOf(relative(root, file))
    return target === undefined ? undefined : `/${target}${hash}`
  }
}

/** The path of a file in the info of a fence. */
const FILE = /(?:^|\s)file=(?<path>\S+)/u

/** A paragraph that is only a comment: the marker of a generated part. */
const COMMENT = /^<!--.*-->$/u

/** A link to a file of the repository. */
const LOCAL = /^(?![a-z]+:|#)(?<file>[^#?]+)(?<hash>#.*)?$/iu
