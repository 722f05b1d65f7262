import { cpSync, existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { linksInProse } from '@troupe/tooling/docs/links'

/** Returns the address of the copy of a file. Markdown is served as text, because it is not a page of the site. */
export function fileAddress(file: string): string {
  return `/files/${file.replace(/\.md$/u, '.md.txt')}`
}

/** Copies files of the repository into the built site. */
export function copyLinkedFiles(files: Iterable<string>, root: string, site: string): void {
  for (const file of files) cpSync(join(root, file), join(site, fileAddress(file)))
}

/** Returns the links of the built pages and of their Markdown to files and headings that the site does not have. */
export function deadLinks(site: string): readonly string[] {
  const pages = globSync('**/*.html', { cwd: site })
  const ids = new Map(pages.map((page) => [page, idsOf(readFileSync(join(site, page), 'utf8'))]))
  return [...pages, ...globSync('**/*.md', { cwd: site })].flatMap((page) => {
    const text = readFileSync(join(site, page), 'utf8')
    const links = page.endsWith('.html') ? linksOf(text) : linksOfMarkdown(text)
    return [...new Set(links)].filter((link) => !leadsSomewhere(link, page)).map((link) => `${page}: ${link}`)
  })

  function leadsSomewhere(link: string, page: string): boolean {
    const { pathname, hash } = new URL(link, `http://site/${page}`)
    const path = decodeURI(pathname).slice(1)
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
    const isFile = existsSync(join(site, file)) && statSync(join(site, file)).isFile()
    return isFile && (hash === '' || ids.get(file)?.has(decodeURIComponent(hash.slice(1))) !== false)
  }
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\sid="(?<id>[^"]+)"/gu)].map(({ groups }) => unescape(groups?.['id'])))
}

/** Returns the links of a page within the site. */
function linksOf(html: string): readonly string[] {
  return [...html.matchAll(/<a\s[^>]*?href="(?<link>[^"]*)"/gu)]
    .map(({ groups }) => unescape(groups?.['link']))
    .filter(isWithinSite)
}

function linksOfMarkdown(text: string): readonly string[] {
  return linksInProse(text)
    .map(({ target }) => target)
    .filter(isWithinSite)
}

function isWithinSite(link: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/iu.test(link)
}

function unescape(text = ''): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}
