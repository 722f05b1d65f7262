import type { Page } from 'playwright-core'
import type { ServedTeam } from './served-team.ts'

/** A view of the page, and the text that is visible once it is rendered. */
export interface Place {
  readonly name: string
  readonly address: string
  readonly shown: string
  /** Acts as a user once the view is shown. */
  act?(page: Page): Promise<unknown>
}

/** Returns the views of the page, each with contents. */
export async function placesOf({ url }: Pick<ServedTeam, 'url'>): Promise<readonly Place[]> {
  const runId = await runAgent(url, 'Newsroom', 'morning')
  const mirrored = await runAgent(url, 'Mirror', 'mirror')
  const { runId: forkId } = await post(`${url}/api/runs/${mirrored}/fork`, {
    at: '1',
    prompts: { Mirror: 'I am a window, and show what is behind it.' },
  })
  await post(`${url}/api/runs`, { agent: 'Desk', q: 'Publish.', session: 'edition' })
  const { runId: trialId } = await post(`${url}/api/agents/Travel/tools/book_flight/test`, {
    args: { destination: 'Oslo', departure_date: '2026-12-01' },
  })
  return [
    { name: 'chat', address: '#/chat/Newsroom', shown: 'Answers a question' },
    { name: 'chat-answered', address: '#/chat/Newsroom/morning', shown: 'completed' },
    { name: 'chat-asking', address: '#/chat/Desk/edition', shown: 'wants to call' },
    { name: 'chat-budget', address: '#/chat/Newsroom', shown: 'Answers a question', act: press('Budget') },
    {
      name: 'palette',
      address: '#/chat/Newsroom',
      shown: 'Answers a question',
      async act(page) {
        await page.keyboard.press('Control+k')
        await page.getByRole('option').first().waitFor()
      },
    },
    { name: 'chat-list', address: '#/chat/Newsroom', shown: 'Answers a question', act: openConversations },
    { name: 'runs', address: '#/runs', shown: 'Newsroom' },
    { name: 'runs-none', address: '#/runs?q=nowhere', shown: 'No matching runs' },
    { name: 'run', address: `#/runs/${runId}`, shown: 'Reporter[1]' },
    { name: 'run-forked', address: `#/runs/${forkId}`, shown: 'First difference' },
    { name: 'run-usage', address: `#/runs/${runId}`, shown: 'Reporter[1]', act: openTab('Usage') },
    { name: 'run-json', address: `#/runs/${runId}`, shown: 'Reporter[1]', act: openTab('JSON') },
    {
      name: 'run-search',
      address: `#/runs/${runId}`,
      shown: 'Reporter[1]',
      act: (page) => page.getByRole('searchbox').fill('ferry'),
    },
    { name: 'run-path', address: `#/runs/${runId}`, shown: 'Reporter[1]', act: press('Slowest path (s)') },
    { name: 'run-keys', address: `#/runs/${runId}`, shown: 'Reporter[1]', act: press('Keys (?)') },
    { name: 'run-unknown', address: '#/runs/run_nowhere', shown: 'no run' },
    { name: 'run-replay', address: `#/runs/${runId}`, shown: 'Reporter[1]', act: press('Replay') },
    { name: 'run-fork', address: `#/runs/${runId}`, shown: 'Reporter[1]', act: press('Fork') },
    { name: 'compare', address: `#/compare/${mirrored}/${forkId}`, shown: '1 prompt differs' },
    {
      name: 'compare-calls',
      address: `#/compare/${mirrored}/${runId}`,
      shown: 'rows differ',
      act: (page) => page.keyboard.press('n'),
    },
    {
      name: 'compare-with',
      address: `#/runs/${forkId}`,
      shown: 'First difference',
      act: press('Compare with…'),
    },
    { name: 'evals', address: '#/evals', shown: 'Newsroom' },
    { name: 'eval', address: '#/evals', shown: 'Newsroom', act: openReport },
    {
      name: 'eval-run',
      address: '#/evals',
      shown: 'Newsroom',
      async act(page) {
        await openReport(page)
        await page.getByRole('button', { name: /harbour/u }).click()
        await page.getByRole('link', { name: 'Open run' }).click()
        await page.getByRole('treeitem').nth(4).waitFor()
      },
    },
    { name: 'approvals', address: '#/approvals', shown: 'wants to call' },
    { name: 'agents', address: '#/agents', shown: 'Archivist' },
    { name: 'agent', address: '#/agents/Archivist', shown: 'Card template' },
    { name: 'card', address: '#/agents/Travel/edit', shown: 'No problems' },
    { name: 'tools', address: '#/tools/Travel', shown: 'Add a tool' },
    {
      name: 'tools-test',
      address: '#/tools/Travel',
      shown: 'Add a tool',
      act: press('Test book_flight'),
    },
    { name: 'tool', address: '#/tools/Travel/book_flight', shown: 'Input schema' },
    { name: 'tool-new', address: '#/tools/Travel/+', shown: 'Input schema' },
    { name: 'trial', address: `#/trials/Travel/book_flight/${trialId}`, shown: 'read-only' },
    { name: 'decide', address: '#/decide/unknown', shown: 'link' },
    { name: 'nowhere', address: '#/nowhere', shown: 'Page not found' },
  ]
}

/** Opens a view and waits until it is rendered. */
export async function goToPlace(page: Page, url: string, { address, shown, act }: Place): Promise<void> {
  // load a new document, because the previous view may have the same address
  await page.goto('about:blank')
  await page.goto(`${url}/${address}`)
  await page.getByText(shown).filter({ visible: true }).first().waitFor()
  await act?.(page)
}

/** Shows the list of conversations: beside the chat on a wide screen, above it on a narrow one. */
async function openConversations(page: Page): Promise<void> {
  const toggle = page.getByRole('button', { name: 'Conversations', exact: true })
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
  await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').first().waitFor()
}

/** Opens the newest report. */
async function openReport(page: Page): Promise<void> {
  await page
    .getByRole('link', { name: /\/40 passed/u })
    .first()
    .click()
  await page.getByRole('button', { name: /harbour/u }).waitFor()
}

/** Opens a tab of the details, which on a narrow screen are in a sheet. */
function openTab(name: string): (page: Page) => Promise<void> {
  return async (page) => {
    if (!(await page.getByRole('tab', { name }).isVisible())) await page.getByRole('treeitem').first().click()
    await page.getByRole('tab', { name }).click()
  }
}

function press(name: string): (page: Page) => Promise<void> {
  return (page) => page.getByRole('button', { name, exact: true }).click()
}

async function runAgent(url: string, agent: string, session: string): Promise<string> {
  const answer = await fetch(`${url}/v1/${agent}?q=What+happened+in+the+harbour?&session=${session}`, {
    headers: { accept: 'application/json' },
  })
  return ((await answer.json()) as { readonly runId: string }).runId
}

async function post(url: string, body: object): Promise<{ readonly runId: string }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return (await answer.json()) as { readonly runId: string }
}
