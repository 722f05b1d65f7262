import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ListedApproval } from '@troupe/client'
import { defineAgent } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveTeam, type ServedTeam } from './support/serve-team.ts'

const as = (name: string): { readonly authorization: string } => ({
  authorization: `Bearer a-long-token-of-${name}`,
})

/** Serves an agent that wants to write `notes.md` for Ada, and returns the approval. */
async function serveWriter(): Promise<{
  readonly team: ServedTeam
  readonly path: string
  readonly approval: ListedApproval
}> {
  const project = await tempProject({ 'notes.md': 'one\n' })
  onTestFinished(() => project.remove())
  const agent = defineAgent({
    name: 'Writer',
    description: 'Writes.',
    instruction: 'Write.',
    model: 'test/writer',
    runtimeTools: ['filesystem'],
  })
  const args = { path: 'notes.md', content: 'two\n' }
  const model = scriptedModel((prompt) =>
    prompt.at(-1)?.role === 'tool' ? { text: 'Done.' } : { calls: [{ tool: 'filesystem_write', args }] },
  )
  const team = await serveTeam({
    cards: [agent],
    models: { writer: model },
    hostOptions: { root: project.path },
    tokens: [
      { token: 'a-long-token-of-root', principal: 'root', role: 'operator' },
      { token: 'a-long-token-of-ada', principal: 'ada' },
      { token: 'a-long-token-of-bob', principal: 'bob' },
      { token: 'a-long-token-of-eve', principal: 'ada', role: 'viewer' },
    ],
  })
  await fetch(`${team.url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('ada') },
    body: JSON.stringify({ q: 'Write' }),
  })
  const list = async (): Promise<readonly ListedApproval[]> => {
    const response = await fetch(`${team.url}/api/approvals`, { headers: as('ada') })
    return ((await response.json()) as { readonly approvals: readonly ListedApproval[] }).approvals
  }
  await expect.poll(async () => (await list()).length).toBe(1)
  return { team, path: project.path, approval: (await list())[0] as ListedApproval }
}

describe('GET /api/runs/:id/approvals/:approvalId/target', () => {
  it('the file that a call would write is read at each request, for those who may decide', async () => {
    const { team, path, approval } = await serveWriter()
    const { runId, approvalId } = approval
    const url = `${team.url}/api/runs/${runId}/approvals/${encodeURIComponent(approvalId)}/target`
    const read = async (name: string): Promise<unknown> => (await fetch(url, { headers: as(name) })).json()
    expect(await read('ada')).toMatchObject({ target: { state: 'text', text: 'one\n' } })
    await writeFile(join(path, 'notes.md'), 'changed\n')
    expect(await read('root')).toMatchObject({ target: { state: 'text', text: 'changed\n' } })
    expect(await read('eve')).toEqual({})
    expect((await fetch(url, { headers: as('bob') })).status).toBe(404)
    const unknown = await fetch(url.replace(/[^/]+\/target$/u, 'none/target'), { headers: as('ada') })
    expect(unknown.status).toBe(404)
    expect(await unknown.json()).toMatchObject({ error: { code: 'approval_unknown' } })
  })
})
