import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** An entry of the sidebar: a page, or a group of pages. */
export interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: SidebarItem[]
}

/** A section or a group of the sidebar while it is filled. */
type Group = SidebarItem & { readonly items: SidebarItem[] }

const HEADING = /^## (?<title>.+)$/u
const GROUP = /^(?<title>[A-Z][^.:]*):$/u
const PAGE = /^- \[(?<title>[^\]]+)\]\((?<page>[^)#]+\.md)\)/u

/** Sections that are open on every page; the others open with one of their pages. */
const OPEN_SECTIONS: ReadonlySet<string> = new Set(['Start', 'How-to'])

/** Pages that may be missing from the index, and the section where the sidebar shows them if their file exists. */
const OTHER_PAGES: ReadonlyMap<string, string> = new Map([
  ['production.md', 'Operate'],
  ['trust.md', 'Operate'],
  ['versions.md', 'Operate'],
])

/**
 * Reads the sidebar from the index of the documentation: its headings, the lines that end with a colon below them,
 * and the linked pages of its lists. `linkTo` returns the address of a path that is relative to the index.
 */
export function readSidebar(indexFile: string, linkTo: (page: string) => string): SidebarItem[] {
  const sections: Group[] = []
  const listed = new Set<string>()
  let pages: SidebarItem[] = []
  for (const line of readFileSync(indexFile, 'utf8').split('\n')) {
    const heading = HEADING.exec(line)?.groups?.['title']
    const group = GROUP.exec(line)?.groups?.['title']
    const { title, page } = PAGE.exec(line)?.groups ?? {}
    if (heading !== undefined) {
      pages = []
      sections.push({ text: heading, collapsed: !OPEN_SECTIONS.has(heading), items: pages })
    } else if (group !== undefined) {
      pages = []
      sections.at(-1)?.items.push({ text: group, collapsed: false, items: pages })
    } else if (title !== undefined && page !== undefined) {
      listed.add(page)
      pages.push({ text: title, link: linkTo(page) })
    }
  }
  for (const [page, section] of OTHER_PAGES) {
    const file = join(dirname(indexFile), page)
    if (listed.has(page) || !existsSync(file)) continue
    const text = /^# (?<title>.+)$/mu.exec(readFileSync(file, 'utf8'))?.groups?.['title'] ?? page
    sections.find((each) => each.text === section)?.items.push({ text, link: linkTo(page) })
  }
  return sections.filter(({ items }) => items.length > 0)
}
