import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** A relative link without a target. */
export interface BrokenLink {
  readonly file: string
  readonly line: number
  readonly target: string
}

/** Returns the relative links of a Markdown file whose file, folder or heading does not exist. */
export function brokenLinks(file: string): readonly BrokenLink[] {
  return linksInProse(readFileSync(file, 'utf8'))
    .filter(({ target }) => isRelative(target) && !leadsSomewhere(file, target))
    .map((link) => ({ file, ...link }))
}

const LINK = /\[[^\]]*\]\((?<target>[^)\s]+)(?:\s+"[^"]*")?\)/gu

/** Returns the targets of the links outside of code, with their line numbers from 1. */
export function linksInProse(page: string): readonly { readonly line: number; readonly target: string }[] {
  return proseLines(page).flatMap(({ text, line }) =>
    [...text.replaceAll(/`[^`]*`/gu, '').matchAll(LINK)].map((match) => ({
      line,
      target: match.groups?.['target'] ?? '',
    })),
  )
}

/** Returns the lines outside of code fences with their numbers from 1. */
export function proseLines(page: string): readonly { readonly text: string; readonly line: number }[] {
  let fence: string | undefined
  return page.split('\n').flatMap((text, index) => {
    const mark = /^\s*(?<mark>`{3,}|~{3,})/u.exec(text)?.groups?.['mark']
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined
      return []
    }
    fence = mark
    return mark === undefined ? [{ text, line: index + 1 }] : []
  })
}

function isRelative(target: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/iu.test(target)
}

function leadsSomewhere(file: string, target: string): boolean {
  const [way = '', heading] = target.split('#')
  const goal = way === '' ? file : path.resolve(path.dirname(file), decodeURI(way))
  if (!existsSync(goal)) return false
  if (heading === undefined || statSync(goal).isDirectory() || !goal.endsWith('.md')) return true
  return headingIds(readFileSync(goal, 'utf8')).has(heading)
}

/** Returns the ids that GitHub gives to the headings of a page. */
function headingIds(page: string): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const { text } of proseLines(page)) {
    const title = /^#{1,6}\s+(?<title>.*)$/u.exec(text)?.groups?.['title']
    if (title === undefined) continue
    const id = headingId(title)
    let unique = id
    for (let count = 1; ids.has(unique); count += 1) unique = `${id}-${count}`
    ids.add(unique)
  }
  return ids
}

/** Returns the id that GitHub gives to a heading, before it adds a number to repeated ones. */
export function headingId(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
