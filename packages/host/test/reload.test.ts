import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scriptedModel } from '@troupe/testkit'
import { deferred, settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import type { Host } from '../src/index.ts'
import { card, codes, openTeam } from './support/open-team.ts'

const ANSWER = { name: 'A', default: true, model: 'passthrough' }

async function edit(host: { readonly path: string }, file: string, text: string): Promise<void> {
  await writeFile(join(host.path, file), text)
}

async function textOf(host: Host, agent?: string): Promise<string | undefined> {
  return (await host.run(agent, 'x')).output.text
}

describe('host.reload', () => {
  it('reload keeps the old team for runs in progress and their children, and gives new runs the new one', async () => {
    const gate = deferred()
    const parent = scriptedModel([
      { calls: [{ tool: 'agent__Child', args: { text: '1' } }], wait: gate.promise },
      { text: 'old' },
      { text: 'new' },
    ])
    const child = scriptedModel(() => ({ text: 'c' }))
    const host = await openTeam(
      {
        'a.md': card({ name: 'A', default: true, model: 'parent', agents: ['Child'] }, 'Old parent.'),
        'child.md': card({ name: 'Child', model: 'child' }, 'Old child.'),
      },
      { models: { parent, child } },
    )
    const running = host.run(undefined, 'x')
    await settle()
    await edit(host, 'a.md', card({ name: 'A', default: true, model: 'parent' }, 'New parent.'))
    await rm(join(host.path, 'child.md'))
    const reload = await host.reload()
    expect(reload).toMatchObject({ outcome: 'taken', added: [], changed: ['A'], removed: ['Child'] })
    const systemOf = (call: number): string =>
      JSON.stringify(parent.calls[call]?.prompt[0]?.content).slice(1, 4)
    gate.resolve()
    expect((await running).output.text).toBe('old')
    expect(child.calls[0]?.prompt[0]?.content).toBe('Old child.')
    expect(await textOf(host)).toBe('new')
    expect([0, 1, 2].map(systemOf)).toEqual(['Old', 'Old', 'New'])
  })

  it('reload rejects an edit that breaks a card, reports where, and accepts the next valid one', async () => {
    const host = await openTeam({
      'a.md': card(ANSWER, 'One.'),
      'b.md': card({ ...ANSWER, name: 'B', default: false }),
    })
    await edit(host, 'a.md', '---\nname: A\nmodell: x\n---\nTwo.\n')
    const kept = await host.reload()
    expect(kept).toMatchObject({ outcome: 'kept', blocked: ['A'] })
    expect(kept.problems[0]).toMatchObject({
      code: 'card_unknown_key',
      severity: 'error',
      file: join(host.path, 'a.md'),
      line: 3,
    })
    expect(kept.plan.agents.map(({ name }) => name)).toEqual(['B'])
    expect(host.definition('A').instruction).toBe('One.')
    expect(await textOf(host)).toBe('x')
    await edit(host, 'a.md', card(ANSWER, 'Three.'))
    expect(await host.reload()).toMatchObject({ outcome: 'taken', changed: ['A'], problems: [] })
    expect(host.definition('A').instruction).toBe('Three.')
  })

  it('reload rejects an edit that removes a child in use or the only entry', async () => {
    const host = await openTeam({
      'a.md': card({ ...ANSWER, agents: ['B'] }),
      'b.md': card({ ...ANSWER, name: 'B', default: false }),
    })
    await rm(join(host.path, 'b.md'))
    expect(await host.reload()).toMatchObject({ outcome: 'kept', blocked: ['A'], removed: ['B'] })
    await edit(host, 'b.md', card({ ...ANSWER, name: 'B' }))
    const ambiguous = await host.reload()
    expect(ambiguous).toMatchObject({ outcome: 'kept', blocked: ['A'] })
    expect(codes(ambiguous.problems)).toContain('agent_ambiguous')
    expect(host.plan().entry).toBe('A')
  })

  it('reload rejects an empty card, which may be in the middle of a write', async () => {
    const host = await openTeam({
      'a.md': card(ANSWER),
      'b.md': card({ ...ANSWER, name: 'B', default: false }),
    })
    await edit(host, 'b.md', '')
    const kept = await host.reload()
    expect(kept).toMatchObject({ outcome: 'kept', blocked: ['B'] })
    expect(kept.problems[0]).toMatchObject({ severity: 'error', file: join(host.path, 'b.md') })
  })

  it('reload removes a child that no card refers to any more, even if its file exists', async () => {
    const host = await openTeam(
      {
        'team/a.md': card({ ...ANSWER, agents: ['../b.md'] }),
        'b.md': card({ ...ANSWER, name: 'B', default: false }),
      },
      { cards: ['team'] },
    )
    await edit(host, 'team/a.md', card(ANSWER))
    expect(await host.reload()).toMatchObject({ outcome: 'taken', changed: ['A'], removed: ['B'] })
  })

  it('reload rejects a configuration that cannot be read', async () => {
    const host = await openTeam({
      'a.md': card({ ...ANSWER, model: undefined }),
      'troupe.json': '{"defaults": {"model": "passthrough"}}',
    })
    await edit(host, 'troupe.json', '{"defaults": ')
    const kept = await host.reload()
    expect(kept).toMatchObject({ outcome: 'kept', blocked: ['A'] })
    expect(kept.problems[0]).toMatchObject({
      code: 'config_invalid',
      file: join(host.path, 'troupe.json'),
      line: 1,
    })
    expect(await textOf(host)).toBe('x')
  })

  it('reload reports that nothing has changed', async () => {
    const host = await openTeam({ 'a.md': card(ANSWER), 'words.txt': 'x' })
    await edit(host, 'words.txt', 'y')
    expect(await host.reload()).toMatchObject({ outcome: 'unchanged', added: [], changed: [], removed: [] })
  })

  it('reload adds new cards and removes deleted ones', async () => {
    const host = await openTeam({
      'a.md': card(ANSWER),
      'b.md': card({ ...ANSWER, name: 'B', default: false }),
    })
    await edit(host, 'c.md', card({ ...ANSWER, name: 'C', default: false }))
    await rm(join(host.path, 'b.md'))
    expect(await host.reload()).toMatchObject({ outcome: 'taken', added: ['C'], removed: ['B'], changed: [] })
    expect(await textOf(host, 'C')).toBe('x')
    await expect(host.run('B', 'x')).rejects.toMatchObject({ code: 'agent_unknown' })
  })

  it('reload accepts an edit of a team that was broken from the start', async () => {
    const host = await openTeam({ 'a.md': '---\nname: A\nmodell: x\n---\nx\n' })
    expect((await host.run(undefined, 'x')).outcome).toBe('failed')
    await edit(host, 'a.md', card(ANSWER))
    expect(await host.reload()).toMatchObject({ outcome: 'taken', added: ['A'] })
    expect(await textOf(host)).toBe('x')
  })

  it('reload reads variables from an edited sidecar and redacts the new secrets', async () => {
    const host = await openTeam({
      'a.md': card({ ...ANSWER, env: ['API_TOKEN'] }),
      'troupe.env': 'API_TOKEN=first-secret-value\n',
    })
    await edit(host, 'troupe.env', 'API_TOKEN=second-secret-value\n')
    expect(await host.reload()).toMatchObject({ outcome: 'taken', changed: ['A'] })
    expect(host.redact('second-secret-value')).toBe('[redacted:API_TOKEN]')
    const report = await host.run(undefined, 'it is second-secret-value')
    expect(report.output.text).not.toContain('second-secret-value')
  })

  it('reload reads a changed model script', async () => {
    const script = (text: string): string => JSON.stringify({ agents: { A: [{ say: text }] } })
    const host = await openTeam({
      'a.md': card({ ...ANSWER, model: 'script/s.yaml' }),
      's.yaml': script('one'),
    })
    expect(await textOf(host)).toBe('one')
    await edit(host, 's.yaml', script('two'))
    expect(await host.reload()).toMatchObject({ outcome: 'taken', changed: ['A'] })
    expect(await textOf(host)).toBe('two')
  })

  it('each run that starts during a reload uses a single version of the team', async () => {
    const host = await openTeam({
      'a.md': card({ ...ANSWER, model: 'script/s.yaml', agents: ['B'] }),
      'b.md': card({ ...ANSWER, name: 'B', default: false, model: 'script/s.yaml' }),
      's.yaml': teamScript('one'),
    })
    const runs: Promise<string | undefined>[] = []
    for (const word of ['two', 'three', 'four']) {
      runs.push(textOf(host))
      await edit(host, 's.yaml', teamScript(word))
      const reloading = host.reload()
      runs.push(textOf(host))
      await reloading
      runs.push(textOf(host))
    }
    for (const text of await Promise.all(runs)) expect(text).toMatch(/^(\w+) \1$/u)
  })

  it('concurrent reloads complete in order, and reload rejects after the host is closed', async () => {
    const host = await openTeam({ 'a.md': card(ANSWER) })
    await appendFile(join(host.path, 'a.md'), 'More.\n')
    const outcomes = await Promise.all([host.reload(), host.reload()])
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['taken', 'unchanged'])
    await host.close()
    await expect(host.reload()).rejects.toMatchObject({ code: 'usage_invalid' })
    await expect(host.watch()).rejects.toMatchObject({ code: 'usage_invalid' })
  })
})

function teamScript(word: string): string {
  const call = { call: [{ tool: 'agent__B', args: { text: 'x' } }] }
  return JSON.stringify({ agents: { A: [call, { say: `${word} {{results.0.text}}` }], B: [{ say: word }] } })
}
