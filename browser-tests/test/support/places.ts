import type { Page } from 'playwright-core'
import type { ServedTeam } from './served-team.ts'

/** An address, and what is there when it is drawn. */
export type Place = readonly [address: string, shown: string]

/** The places of the page, each with something in it. */
export async function placesOf({ url }: Pick<ServedTeam, 'url'>): Promise<readonly Place[]> {
  const started = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"agent":"Desk","q":"Publish."}',
  })
  await started.json()
  const answer = await fetch(`${url}/v1/Newsroom?q=harbour&session=morning`, {
    headers: { accept: 'application/json' },
  })
  const { runId } = (await answer.json()) as { readonly runId: string }
  return [
    ['#/chat/Newsroom', 'Answers a question'],
    ['#/chat/Newsroom/morning', 'completed'],
    ['#/runs', 'Newsroom'],
    [`#/runs/${runId}`, 'Reporter[1]'],
    ['#/approvals', 'wants to call'],
    ['#/agents', 'Archivist'],
    ['#/agents/Archivist', 'Card template'],
    ['#/tools/Travel', 'Add a tool'],
    ['#/tools/Travel/book_flight', 'Input schema'],
    ['#/nowhere', 'Nothing is here'],
  ]
}

/** Goes to a place and waits until it is drawn. */
export async function goToPlace(page: Page, url: string, [address, shown]: Place): Promise<void> {
  await page.goto(`${url}/${address}`)
  await page.getByText(shown).filter({ visible: true }).first().waitFor()
}
