import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { CHROMIUM } from './chromium.ts'

let browser: Promise<Browser> | undefined

/** Opens a page for one test. Console errors, and requests to any other origin, fail the test. */
export async function openPage(
  url: string,
  options: BrowserContextOptions = {},
  /** Console errors, and requests to other origins, that do not fail the test. */
  { mayTell, mayAsk }: { readonly mayTell?: RegExp; readonly mayAsk?: RegExp } = {},
): Promise<Page> {
  browser ??= chromium.launch({ executablePath: CHROMIUM ?? '' })
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const wrongs: string[] = []
  const { origin } = new URL(url)
  page.on('pageerror', (error) => wrongs.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && mayTell?.test(message.text()) !== true) wrongs.push(message.text())
  })
  page.on('request', (request) => {
    const { origin: target } = new URL(request.url())
    if (target !== origin && mayAsk?.test(target) !== true) wrongs.push(`asked for ${request.url()}`)
  })
  onTestFinished(async () => {
    await context.close()
    expect(wrongs).toEqual([])
  })
  await page.goto(url)
  return page
}

afterAll(async () => {
  await (await browser)?.close()
  browser = undefined
})
