import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { createHost } from '@troupe/host'
import { defineAgent, defineTool, type ContentPart } from '@troupe/schema'
import { createServer } from '@troupe/server'
import { createMemoryStore } from '@troupe/store'
import { scriptedModel } from '@troupe/testkit'
import { SYSTEM_CLOCK as clock } from '@troupe/testkit/teams'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'

const CODE = `const answer: number = 42\n${Array.from({ length: 40 }, (_, line) => `// line ${line}`).join('\n')}`

const ANSWER = `# The harbour

There is **one ferry**[^1] and \`two gulls\`.

- [x] counted
- [ ] painted

| what | count |
|:-----|------:|
| ferry | 1 |

\`\`\`ts title="src/answer.ts"
${CODE}
\`\`\`

The formula is $e = mc^2$.

- مرحبا بك

[^1]: Seen at noon.
`

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const HTML = `<link rel="preconnect" href="https://evil.example"><style>h1 { color: rgb(1, 2, 3) }</style>
<h1>A page</h1><script>document.querySelector('h1').textContent = 'Ran'</script>
<img src="https://evil.example/x.png" onerror="document.querySelector('h1').textContent = 'Ran'">`

const PARTS: readonly ContentPart[] = [
  { type: 'data', base64: PIXEL, mediaType: 'image/png', uri: 'file:///tmp/dot.png' },
  { type: 'text', text: HTML, mediaType: 'text/html' },
  {
    type: 'text',
    text: `name,count\n${Array.from({ length: 5000 }, (_, row) => `row ${row},${(row * 7) % 5000}`).join('\n')}`,
    mediaType: 'text/csv',
  },
  { type: 'data', base64: 'JVBERi0xLjc=', mediaType: 'application/pdf' },
  { type: 'text', text: '{"ferry": 1}' },
]

const exhibit = defineTool({
  name: 'exhibit',
  description: 'Shows everything.',
  input: z.object({}),
  execute: () => ({ outcome: 'completed', content: PARTS }),
})

const curator = defineAgent({
  name: 'Curator',
  description: 'Shows results of all kinds.',
  instruction: 'Show them.',
  functionTools: [exhibit],
  model: 'test/curator',
})

const DIAGRAMS = `\`\`\`mermaid
%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%
flowchart LR
  ferry["A ferry <img src=x onerror='window.ran = true'>"] --> harbour
  click ferry href "javascript:alert(1)"
\`\`\`

\`\`\`mermaid
architecture-beta
  group harbour(cloud)[Harbour]
\`\`\`
`

/** Serves an agent with results of all kinds and returns the address of its chat. */
async function serveCurator(answer = ANSWER): Promise<string> {
  const store = createMemoryStore({ clock })
  const model = scriptedModel(async (prompt) => {
    // long enough for the page to see the run before its end
    await sleep(300)
    return prompt.some(({ role }) => role === 'tool')
      ? { text: answer }
      : { calls: [{ tool: 'exhibit', args: {} }] }
  })
  const host = await createHost({
    cards: [curator],
    config: false,
    cwd: import.meta.dirname,
    store,
    models: { 'test/curator': model },
  })
  const server = await createServer({ host, store, port: 0, clock, newId: randomUUID, page: inject('page') })
  onTestFinished(async () => {
    await server.close()
    await host.close()
  })
  return `${server.url}/#/chat/Curator`
}

async function ask(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message to' }).fill('Show it.')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Copy answer' }).waitFor()
}

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  // frames of tools run no scripts, so axe cannot look into them
  const { violations } = await page.evaluate<AxeResults>('axe.run({ iframes: false })')
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

describe.skipIf(CHROMIUM === undefined)(`answers and results${CHROMIUM_NOTE}`, () => {
  it('an answer shows highlighted code with its file name, a table, tasks, a formula and a footnote', async () => {
    const page = await openPage(await serveCurator())
    await ask(page)
    const code = page.getByRole('group', { name: 'Code, src/answer.ts' })
    await code.locator('.hljs-keyword', { hasText: 'const' }).waitFor()
    await page.getByRole('button', { name: 'Show all 41 lines' }).click()
    await page.locator('math').filter({ visible: true }).waitFor()
    expect(await page.getByRole('img', { name: 'Done', exact: true }).count()).toBe(1)
    expect(await page.locator('main ul[dir=rtl]').count()).toBe(1)
    expect(await page.getByRole('columnheader', { name: 'count' }).getAttribute('class')).toContain(
      'text-right',
    )
    await page.getByRole('button', { name: 'Footnote 1' }).click()
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Seen at noon.')
    expect(await violationsOf(page)).toEqual([])
  })

  it('code and answers are copied, also without the clipboard interface, and the copy is announced', async () => {
    const page = await openPage(await serveCurator(), { permissions: ['clipboard-read', 'clipboard-write'] })
    const pasted = (): Promise<string> => page.evaluate('window.readClipboard()')
    await page.evaluate(
      '{ const { clipboard } = navigator; window.readClipboard = () => clipboard.readText() }',
    )
    await ask(page)
    await page.getByRole('button', { name: 'Copy code' }).click()
    await page.getByRole('status').getByText('Copied').waitFor()
    expect(await pasted()).toBe(CODE)
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })')
    await page.getByRole('button', { name: 'Copy answer' }).click()
    await page.getByRole('button', { name: 'Copied' }).last().waitFor()
    expect((await pasted()).trim()).toBe(ANSWER.trim())
  })

  it('a screen reader is given the state of a run and then its answer, once', async () => {
    const page = await openPage(await serveCurator())
    await page.getByRole('textbox', { name: 'Message to' }).waitFor()
    await page.evaluate(`{
      window.said = []
      const status = document.querySelector('.sr-only > [role=status]')
      new MutationObserver(() => window.said.push(status.textContent)).observe(status, { childList: true, characterData: true, subtree: true })
    }`)
    await ask(page)
    await page.getByRole('status').getByText('Answer complete').waitFor()
    const said = await page.evaluate<readonly string[]>('window.said')
    expect(said.map((text) => text.replace(/\d+/u, 'N'))).toEqual(['Working', 'Answer complete, N words'])
    await page.reload()
    await page.getByRole('button', { name: 'Copy answer' }).waitFor()
    expect(await page.getByRole('status').textContent()).toBe('')
  })

  it('results are shown by their type, and a page of a tool runs no script and sends no request', async () => {
    const page = await openPage(
      await serveCurator(),
      {},
      { mayAsk: /evil\.example$/u, mayTell: /evil\.example|sandboxed|Content Security Policy/u },
    )
    await ask(page)
    await page.locator('main details summary').first().click()
    const picture = page.getByRole('img', { name: 'dot.png' })
    await picture.waitFor()
    expect(await page.evaluate('document.querySelector("figure img").naturalWidth')).toBe(1)
    await page.getByRole('button', { name: 'Save result.pdf' }).waitFor()
    await page.getByText('ferry:').first().waitFor()

    const table = page.getByRole('group', { name: 'Table text/csv' })
    await page.getByText('5,000 rows').waitFor()
    expect(await table.getByRole('row').count()).toBeLessThan(60)
    await table.getByRole('button', { name: 'count' }).click()
    await table.getByRole('button', { name: 'count' }).click()
    expect(await table.getByRole('row').nth(1).textContent()).toContain('4999')

    const blocked: unknown[] = []
    page.on('requestfailed', (request) => void blocked.push([request.url(), request.failure()?.errorText]))
    await page.getByRole('button', { name: 'Show page' }).click()
    const heading = page.frameLocator('iframe').getByRole('heading')
    expect(await heading.textContent()).toBe('A page')
    expect(blocked).toEqual([['https://evil.example/x.png', 'csp']])
    const frame = page.frames().at(-1)
    expect(await frame?.evaluate('getComputedStyle(document.querySelector("h1")).color')).toBe('rgb(1, 2, 3)')
    expect(await violationsOf(page)).toEqual([])
  })
  it('a diagram is drawn in a frame without an origin, and one that cannot be drawn is shown as code', async () => {
    const page = await openPage(await serveCurator(DIAGRAMS), {}, { mayTell: /Content Security Policy/u })
    await ask(page)
    await page.getByText('This kind of diagram is not supported.').waitFor()
    await page.frameLocator('iframe[title=Diagram]').getByText('harbour').waitFor()
    expect(
      await page
        .frames()
        .at(-1)
        ?.evaluate(
          '[origin, window.ran, document.querySelectorAll("[onerror], a[href^=javascript]").length]',
        ),
    ).toEqual(['null', undefined, 0])
    await page.getByRole('button', { name: 'Show code' }).click()
    await page.getByRole('group', { name: 'Code, mermaid' }).filter({ hasText: 'flowchart LR' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
  })
})
