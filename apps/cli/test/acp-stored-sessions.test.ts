import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { systemClock } from '@troupe/core'
import { createHost, type Host } from '@troupe/host'
import type { RunStore } from '@troupe/schema/ports'
import { createMemoryStore } from '@troupe/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAcpAgent } from '../src/acp/create-acp-agent.ts'
import { connectEditor, type Editor } from './editor.ts'
import { project } from './team.ts'

const CARD = '---\nname: Planner\ndescription: Plans.\nmodel: passthrough\n---\nPlan.\n'
const OTHER_CARD = CARD.replaceAll('Planner', 'Clerk')

interface Served extends Editor {
  readonly host: Host
  readonly list: () => Promise<readonly string[]>
  readonly resume: (sessionId: string, cwd: string) => Promise<unknown>
  readonly remove: (sessionId: string) => Promise<unknown>
}

/** An editor in a folder, and the agent of the card there. */
async function editorIn(cwd: string, store: RunStore, card = 'planner.md'): Promise<Served> {
  const host = await createHost({ cards: [card], config: false, cwd, store, env: {} })
  onTestFinished(() => host.close())
  const agent = host.definition(undefined)
  const app = createAcpAgent({
    agents: [agent],
    host,
    store,
    newSessionId: () => `session_${randomUUID()}`,
  })
  const editor = await connectEditor(app, { cwd })
  const { agent: server } = editor.connection
  return {
    ...editor,
    host,
    list: async () => {
      const { sessions } = await server.request(methods.agent.session.list, {})
      return sessions.map(({ sessionId }) => sessionId)
    },
    resume: (sessionId, folder) =>
      server.request(methods.agent.session.resume, { sessionId, cwd: folder, mcpServers: [] }),
    remove: (sessionId) => server.request(methods.agent.session.delete, { sessionId }),
  }
}

async function twoFolders(): Promise<{
  readonly here: string
  readonly elsewhere: string
  readonly store: RunStore
}> {
  const { path } = await project({
    'here/planner.md': CARD,
    'here/clerk.md': OTHER_CARD,
    'elsewhere/planner.md': CARD,
  })
  const store = createMemoryStore({ clock: systemClock })
  return { here: join(path, 'here'), elsewhere: join(path, 'elsewhere'), store }
}

describe('the stored sessions of an editor', () => {
  it('a conversation that no editor started can be neither loaded, resumed nor deleted', async () => {
    const { here, store } = await twoFolders()
    const { host, load, resume, remove, list, updates } = await editorIn(here, store)
    const sessionId = 'session_of_the_terminal'
    await host.run('Planner', 'A secret plan', { sessionId })
    await expect(load(sessionId)).rejects.toMatchObject({ data: { sessionId } })
    await expect(resume(sessionId, here)).rejects.toMatchObject({ data: { sessionId } })
    expect(updates).toEqual([])
    // the protocol requires that deleting what does not exist succeeds
    await remove(sessionId)
    expect(await host.session(sessionId)).toMatchObject({ sessionId, runs: 1 })
    expect(await list()).toEqual([])
  })

  it('a session can be loaded and resumed only in its folder', async () => {
    const { here, elsewhere, store } = await twoFolders()
    const { open, prompt, load, resume } = await editorIn(here, store)
    const sessionId = await open()
    await prompt(sessionId, 'Plan')
    await expect(load(sessionId, { cwd: elsewhere })).rejects.toMatchObject({ data: { sessionId } })
    await expect(resume(sessionId, elsewhere)).rejects.toMatchObject({ data: { sessionId } })
    await expect(resume(sessionId, 'here')).rejects.toThrow('cwd: it must be an absolute path.')
    await load(sessionId, { cwd: `${here}/` })
  })

  it.each([
    ['another agent of the same folder', 'here', 'clerk.md'],
    ['an agent of another folder with the same name', 'elsewhere', 'planner.md'],
  ] as const)('a session does not exist for %s', async (_, folder, card) => {
    const { store, ...folders } = await twoFolders()
    const first = await editorIn(folders.here, store)
    const sessionId = await first.open()
    await first.prompt(sessionId, 'Plan')
    const second = await editorIn(folders[folder], store, card)
    expect(await second.list()).toEqual([])
    const cwd = folders.here
    await expect(second.load(sessionId, { cwd })).rejects.toMatchObject({ data: { sessionId } })
    await second.remove(sessionId)
    expect(await first.list()).toEqual([sessionId])
    await first.load(sessionId)
  })
})
