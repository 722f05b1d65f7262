// oxlint-disable-next-line typescript/triple-slash-reference -- packages that use this file do not include the declaration
/// <reference path="./turndown-plugin-gfm.d.ts" />
import { gfm } from '@joplin/turndown-plugin-gfm'
import { isProbablyReaderable, Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { parentPort, workerData } from 'node:worker_threads'
import TurndownService from 'turndown'

/** Nesting at which recursive conversion is still safe. Deeper pages become plain text. */
const MAX_DEPTH = 400
/** Elements that a reader of the page does not see. */
const INVISIBLE =
  'script, style, noscript, template, svg, iframe, object, embed, canvas, [hidden], [aria-hidden="true"], [style*="display:none" i], [style*="display: none" i]'

/** An HTML page to convert. */
export interface HtmlPage {
  readonly html: string
  /** Address that relative links are resolved against. */
  readonly url: string
}

/** A page converted to Markdown. */
export interface MarkdownPage {
  readonly title: string
  readonly text: string
}

/** The part of the DOM that is used here. Node's types do not contain it. */
interface PageElement {
  readonly firstElementChild: PageElement | null
  readonly nextElementSibling: PageElement | null
  readonly parentElement: PageElement | null
  readonly textContent: string | null
  readonly innerHTML: string
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  remove(): void
}

interface PageDocument {
  readonly body: PageElement | null
  readonly documentElement: PageElement
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
  cloneNode(isDeep: boolean): PageDocument
}

/** Converts a page to Markdown: its main content if it looks like an article, else everything visible. */
function convertPage({ html, url }: HtmlPage): MarkdownPage {
  const whole = /<body[\s>]/iu.test(html)
    ? html
    : `<html><body>${html.replaceAll(/<\/?html(?:\s[^<>]*)?>/giu, '')}</body></html>`
  const { document } = parseHTML(whole) as unknown as { readonly document: PageDocument }
  for (const element of document.querySelectorAll(INVISIBLE)) element.remove()
  const title = document.querySelector('title')?.textContent?.trim() ?? ''
  for (const element of document.querySelectorAll('body title')) element.remove()
  if (depthOf(document.documentElement) > MAX_DEPTH)
    return { title, text: (document.documentElement.textContent ?? '').replaceAll(/\s*\n\s*/gu, '\n').trim() }
  resolveLinks(document, url)
  const article = isProbablyReaderable(document) ? new Readability(document.cloneNode(true)).parse() : null
  const content = article?.content ?? (document.body ?? document.documentElement).innerHTML
  return { title: article?.title?.trim() || title, text: createConverter().turndown(content) }
}

function createConverter(): TurndownService {
  const converter = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  })
  converter.use(gfm)
  return converter
}

/** Makes addresses absolute. Embedded data is removed. */
function resolveLinks(document: PageDocument, url: string): void {
  const base = URL.parse(document.querySelector('base')?.getAttribute('href') ?? '', url)?.href ?? url
  for (const [selector, attribute] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const)
    for (const element of document.querySelectorAll(selector)) {
      const target = URL.parse(element.getAttribute(attribute) ?? '', base)
      if (target?.protocol === 'https:' || target?.protocol === 'http:')
        element.setAttribute(attribute, target.href)
      else element.removeAttribute(attribute)
    }
}

/** Returns the depth of the tree without recursion. */
function depthOf(root: PageElement): number {
  let depth = 1
  let deepest = 1
  let element: PageElement | null = root
  while (element !== null && deepest <= MAX_DEPTH) {
    if (element.firstElementChild !== null) {
      element = element.firstElementChild
      depth += 1
      deepest = Math.max(deepest, depth)
      continue
    }
    while (element !== null && element !== root && element.nextElementSibling === null) {
      element = element.parentElement
      depth -= 1
    }
    element = element === null || element === root ? null : element.nextElementSibling
  }
  return deepest
}

/** Converts the page that the thread started with, if this module runs in one. */
function serveConversion(): void {
  if (workerData === null) return
  const page = convertPage(workerData as HtmlPage)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage(page)
}

serveConversion()
