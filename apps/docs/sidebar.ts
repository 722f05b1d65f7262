import { readFileSync } from 'node:fs'

/** An entry of the sidebar: a page, or a group of pages. */
export interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: SidebarItem[]
}

const HEADING = /^## (?<title>.+)$/u
const GROUP = /^(?<title>[A-Z][^.:]*):$/u
const PAGE = /^- \[(?<title>[^\]]+)\]\((?<page>[^)#]+)\.md\)/u

/**
 * Reads the sidebar from the index of the documentation: its headings, the lines that end with a colon below them,
 * and the linked pages of its lists. Links are relative to the folder of the index.
 */
export function readSidebar(indexFile: string): SidebarItem[] {
  const sections: (SidebarItem & { readonly items: SidebarItem[] })[] = []
  let pages: SidebarItem[] = []
  for (const line of readFileSync(indexFile, 'utf8').split('\n')) {
    const heading = HEADING.exec(line)?.groups?.['title']
    const group = GROUP.exec(line)?.groups?.['title']
    const { title, page } = PAGE.exec(line)?.groups ?? {}
    if (heading !== undefined) {
      pages = []
      sections.push({ text: heading, items: pages })
    } else if (group !== undefined) {
      pages = []
      sections.at(-1)?.items.push({ text: group, collapsed: false, items: pages })
    } else if (title !== undefined && page !== undefined) {
      pages.push({ text: title, link: `/${page}` })
    }
  }
  return sections.filter(({ items }) => items.length > 0)
}
