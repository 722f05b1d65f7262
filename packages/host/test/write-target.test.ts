import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Host, HostOptions } from '../src/index.ts'
import { card, openTeam, type RunningTeam } from './support/open-team.ts'

/** Opens a team whose file tools work in the folder `root`. Each agent is given by the keys of its card. */
function openHost(
  agents: readonly Readonly<Record<string, unknown>>[],
  { files = {}, ...options }: Partial<HostOptions> & { readonly files?: Record<string, string> } = {},
): Promise<RunningTeam> {
  const cards = agents.map((keys, index) => [
    `team/${index}.md`,
    card({ name: 'writer', model: 'passthrough', ...keys }),
  ])
  return openTeam(
    { 'root/notes.md': 'one\n', 'outside.txt': 'outside', ...files, ...Object.fromEntries(cards) },
    { cards: ['team'], root: 'root', ...options },
  )
}

const call = (path: string, agent = 'writer'): Parameters<Host['writeTarget']>[0] => ({
  agent,
  toolName: 'filesystem.write',
  args: { path, content: 'x' },
})

describe('the file that a pending call writes', () => {
  it('the present text of the file is returned with the time of its last change', async () => {
    const host = await openHost([{ runtimeTools: ['filesystem'] }])
    expect(await host.writeTarget(call('notes.md'))).toEqual({
      state: 'text',
      text: 'one\n',
      changedAt: expect.any(Number) as number,
    })
    expect(await host.writeTarget(call('new/file.md'))).toEqual({ state: 'missing' })
  })

  it('files outside the root, also behind links, are never returned', async () => {
    const host = await openHost([{ runtimeTools: ['filesystem'] }])
    await symlink(join(host.path, 'outside.txt'), join(host.path, 'root/link.txt'))
    for (const path of ['../outside.txt', join(host.path, 'outside.txt'), 'link.txt'])
      expect(await host.writeTarget(call(path))).toMatchObject({ state: 'hidden' })
  })

  it('large files, other data and folders are hidden with the reason', async () => {
    const host = await openHost([{ runtimeTools: ['filesystem'] }])
    await writeFile(join(host.path, 'root/large.txt'), 'x'.repeat(262_145))
    await writeFile(join(host.path, 'root/data.bin'), Buffer.from([0, 255]))
    const reasonOf = async (path: string): Promise<unknown> => host.writeTarget(call(path))
    expect(await reasonOf('large.txt')).toMatchObject({ reason: expect.stringContaining('262145 bytes') })
    expect(await reasonOf('data.bin')).toMatchObject({ reason: 'The file is not UTF-8 text.' })
    expect(await reasonOf('.')).toMatchObject({ reason: expect.stringContaining('is a folder') })
  })

  it('a file that the agent may not read without approval is hidden', async () => {
    const rule = { tool: 'filesystem.read', argument: 'path', pattern: 'private/**' }
    const files = { 'root/private/key.txt': 'key' }
    const permissions = { deny: [rule] }
    const agents: Parameters<typeof openHost>[0] = [
      { runtimeTools: ['filesystem'], permissions },
      { name: 'asking', runtimeTools: ['filesystem'], requiresApproval: ['filesystem.read'] },
      { name: 'without', runtimeTools: ['filesystem'], tools: ['filesystem.write'] },
      { name: 'other', runtimeTools: ['filesystem'] },
    ]
    const host = await openHost(agents, { files })
    const hidden = { state: 'hidden', reason: 'The agent may not read this file without approval.' }
    expect(await host.writeTarget(call('private/key.txt'))).toEqual(hidden)
    expect(await host.writeTarget(call('notes.md'))).toMatchObject({ state: 'text' })
    expect(await host.writeTarget(call('notes.md', 'asking'))).toEqual(hidden)
    expect(await host.writeTarget(call('notes.md', 'without'))).toEqual(hidden)
    // The agent may have been called by the one with the rule.
    expect(await host.writeTarget(call('private/key.txt', 'other'))).toEqual(hidden)
  })

  it('secrets of the team are redacted, and env files are hidden', async () => {
    const files = {
      'root/a.env': 'API_KEY=sk-very-secret-value\n',
      'root/copy.txt': 'key: sk-very-secret-value',
    }
    const options = { files, envFiles: ['root/a.env'], env: { API_KEY: 'sk-very-secret-value' } }
    const host = await openHost([{ runtimeTools: ['filesystem'] }], options)
    expect(await host.writeTarget(call('a.env'))).toMatchObject({ state: 'hidden' })
    expect(JSON.stringify(await host.writeTarget(call('copy.txt')))).not.toContain('sk-very-secret-value')
  })

  it('other tools, unknown agents and agents without file tools have no file', async () => {
    const host = await openHost([{ runtimeTools: [] }, { name: 'files', runtimeTools: ['filesystem'] }])
    expect(await host.writeTarget(call('notes.md'))).toBeUndefined()
    expect(await host.writeTarget(call('notes.md', 'unknown'))).toBeUndefined()
    expect(
      await host.writeTarget({ ...call('notes.md', 'files'), toolName: 'filesystem.read' }),
    ).toBeUndefined()
    expect(await host.writeTarget({ ...call('', 'files'), args: { path: 1 } })).toBeUndefined()
  })
})
