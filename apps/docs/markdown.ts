import { existsSync, statSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { proseLines } from '@troupe/tooling/docs/links'
import type { MarkdownRenderer } from 'vitepress'

/** The `env` of a page while it is rendered. */
interface PageEnv {
  /** Absolute path of the Markdown file, before rewrites. */
  readonly realPath?: string
  readonly path: string
}

/** The files of the repository, by their paths from its root, and their addresses on the site. */
interface SiteFiles {
  readonly root: string
  pageOf(file: string): string | undefined
  addFile(file: string): string
}

/**
 * Makes the pages of this repository fit for VitePress: braces are no expressions of Vue, comments are left out, the
 * path of a file stands above its text, and links lead to the pages of the site, or to a copy of the file if it is no
 * page: `addFile` is called with its path and returns the address of the copy. Throws for a link to a file that does
 * not exist, and for a link to a folder.
 */
export function adaptMarkdown(md: MarkdownRenderer, { root, pageOf, addFile }: SiteFiles): void {
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
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      const link = targetOf((token.type === 'link_open' && token.attrGet('href')) || '', { root, page })
      if (link === undefined) continue
      requireFile(resolve(root, link.path), page)
      const target = pageOf(link.path)
      token.attrSet('href', target === undefined ? addFile(link.path) : `/${target}${link.hash}`)
      // so that VitePress does not take it for a page
      if (target === undefined) token.attrSet('target', '_blank')
    }
  })

  function requireFile(file: string, page: string): void {
    const problem = existsSync(file) ? statSync(file).isDirectory() && 'is a folder' : 'does not exist'
    if (problem !== false)
      throw new Error(`${relative(root, page)} has a link to ${relative(root, file)}, which ${problem}.`)
  }
}

/**
 * Returns the Markdown of a page, whose absolute path is `page`, with links to the Markdown of other pages of the site and
 * to copies of files that are no pages.
 */
export function relinkMarkdown(text: string, page: string, { root, pageOf, addFile }: SiteFiles): string {
  const lines = text.split('\n')
  for (const { text: prose, line } of proseLines(text))
    lines[line - 1] = prose.replaceAll(CODE_OR_TARGET, (all: string, href?: string) => {
      const link = href === undefined ? undefined : targetOf(href, { root, page })
      if (link === undefined) return all
      const target = pageOf(link.path)
      return `](${target === undefined ? addFile(link.path) : `${markdownAddress(target)}${link.hash}`}`
    })
  return lines.join('\n')
}

/** Returns the address of the Markdown of a page. */
export function markdownAddress(page: string): string {
  return `/${page.replace(/\/index$/u, '')}.md`
}

/** Returns the path from the root of the file that a link leads to; `undefined` if it leads elsewhere. */
function targetOf(
  href: string,
  { root, page }: { readonly root: string; readonly page: string },
): { readonly path: string; readonly hash: string } | undefined {
  const link = LOCAL.exec(href)?.groups
  if (link === undefined) return undefined
  const path = relative(root, resolve(dirname(page), decodeURI(link['file'] ?? '')))
  return { path, hash: link['hash'] ?? '' }
}

/** Code in a line, or the start of a link with its target. */
const CODE_OR_TARGET = /`[^`]*`|\]\((?<href>[^)\s]+)/gu

/** The path of a file in the info of a fence. */
const FILE = /(?:^|\s)file=(?<path>\S+)/u

/** A paragraph that is only a comment: the marker of a generated part. */
const COMMENT = /^<!--.*-->$/u

/** A link to a file of the repository. */
const LOCAL = /^(?![a-z]+:|#)(?<file>[^#?]+)(?<hash>#.*)?$/iu
