import { parseHTML } from 'linkedom'

/** The part of an element that the tests use. The types of the DOM are not part of this project. */
export interface PageElement {
  readonly localName: string
  readonly textContent: string
  readonly children: Iterable<PageElement>
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): ArrayLike<PageElement> & Iterable<PageElement>
  getAttribute(name: string): string | null
  getAttributeNames(): readonly string[]
  hasAttribute(name: string): boolean
  dispatchEvent(event: object): unknown
}

/** A parsed page. */
export interface ParsedPage extends PageElement {
  readonly title: string
  readonly defaultView: { readonly Event: new (type: string) => object }
}

/** Parses a page as a browser does, without running its script. */
export function parsePage(file: string): ParsedPage {
  return parseHTML(file).document as ParsedPage
}

/** Returns the texts of all matching elements, with single spaces. */
export function texts(within: PageElement, selector: string): readonly string[] {
  return Array.from(within.querySelectorAll(selector), ({ textContent }) =>
    textContent.replaceAll(/\s+/gu, ' ').trim(),
  )
}

/** Returns the first matching element. */
export function find(within: PageElement, selector: string): PageElement {
  const found = within.querySelector(selector)
  if (found === null) throw new Error(`There is no ${selector}.`)
  return found
}
