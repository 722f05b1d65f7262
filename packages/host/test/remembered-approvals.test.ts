import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineAgent, defineTool, type ApprovalDecision, type JsonObject } from '@troupe/schema'
import { scriptedModel } from '@troupe/testkit'
import { recordEvents, verifies } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, type Host, type HostOptions } from '../src/index.ts'
import { openProject } from './support/open-team.ts'

/** An agent that calls `send` twice in every run, and its child, which has a tool of the same name. */
async function openOffice(
  options: Partial<HostOptions> & { readonly fields?: JsonObject } = {},
): Promise<{ readonly host: Host; readonly sent: string[] }> {
  const sent: string[] = []
  const { fields = {}, ...rest } = options
  const send = (by: string) =>
    defineTool({
      name: 'send',
      description: 'Sends.',
      requiresApproval: true,
      execute: () => void sent.push(by),
    })
  const clerk = defineAgent({
    name: 'Clerk',
    description: 'Sends.',
    instruction: 'c',
    model: 'test/clerk',
    functionTools: [send('Clerk')],
  })
  const lead = defineAgent({
    name: 'Lead',
    instruction: 'l',
    model: 'test/lead',
    functionTools: [send('Lead')],
    agents: [clerk],
    ...fields,
  })
  const calls = (steps: readonly object[]) =>
    scriptedModel((prompt) => {
      const last = prompt.findLastIndex(({ role }) => role === 'user')
      const turn = prompt.slice(last).filter(({ role }) => role === 'assistant').length
      return steps[turn] ?? { text: 'Done.' }
    })
  const host = await createHost({
    cards: [lead, clerk],
    config: false,
    cwd: import.meta.dirname,
    models: {
      'test/lead': calls([
        { calls: [{ tool: 'send' }] },
        { calls: [{ tool: 'send' }, { tool: 'agent__Clerk', args: { text: 'go' } }] },
      ]),
      'test/clerk': calls([{ calls: [{ tool: 'send' }] }]),
    },
    ...rest,
  })
  onTestFinished(() => host.close())
  return { host, sent }
}

/** Answers from a list; what it was asked. */
function person(...answers: readonly ApprovalDecision[]) {
  const asked: string[] = []
  return {
    asked,
    approve: ({ agent }: { readonly agent: string }) => {
      asked.push(agent)
      return answers[asked.length - 1] ?? { decision: 'denied' as const }
    },
  }
}

const once = { decision: 'approved' } as const
const session = { decision: 'approved', remember: 'session' } as const
const always = { decision: 'approved', remember: 'always' } as const

describe(`remembered approvals ${verifies('R16')}`, () => {
  it('an approval applies to one call by default', async () => {
    const { host, sent } = await openOffice()
    const { approve, asked } = person(once, once, once)
    await host.run('Lead', 'go', { approve })
    expect([asked, sent]).toEqual([
      ['Lead', 'Lead', 'Clerk'],
      ['Lead', 'Lead', 'Clerk'],
    ])
  })

  it('an approval for the conversation applies to this tool of this agent only', async () => {
    const { host, sent } = await openOffice()
    const { approve, asked } = person(session, session)
    const record = recordEvents()
    await host.run('Lead', 'go', { approve, sessionId: 's', onEvent: record.listener })
    await host.run('Lead', 'again', { approve, sessionId: 's' })
    expect(asked).toEqual(['Lead', 'Clerk'])
    expect(sent).toHaveLength(6)
    expect(record.of('approval-result').map(({ remember, remembered }) => [remember, remembered])).toEqual([
      ['session', undefined],
      [undefined, 'session'],
      ['session', undefined],
    ])
    const other = person()
    await host.run('Lead', 'go', { approve: other.approve, sessionId: 'another' })
    expect(other.asked.length).toBeGreaterThan(0)
  })

  it('a permanent approval also applies in later processes and is stored in a readable file', async () => {
    const { path } = await openProject({})
    const first = await openOffice({ stateFolder: path })
    await first.host.run('Lead', 'go', { approve: person(always, always).approve })
    const second = await openOffice({ stateFolder: path })
    const { approve, asked } = person()
    expect(await second.host.run('Lead', 'go', { approve })).toMatchObject({ outcome: 'completed' })
    expect([asked, second.sent]).toEqual([[], ['Lead', 'Lead', 'Clerk']])
    const file = join(path, 'approvals.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      version: 1,
      allowed: [
        ['local', 'code:Lead', 'send'],
        ['local', 'code:Clerk', 'send'],
      ],
    })
    writeFileSync(file, 'damaged')
    await second.host.run('Lead', 'go', { approve })
    expect(asked).toEqual(['Lead', 'Lead', 'Clerk'])
  })

  it('an approval belongs to its principal', async () => {
    const { host } = await openOffice()
    await host.run('Lead', 'go', { approve: person(always, always).approve, principal: 'ann' })
    const { approve, asked } = person()
    await host.run('Lead', 'go', { approve, principal: 'bob' })
    expect(asked.length).toBeGreaterThan(0)
  })

  it('a remembered approval does not replace one that a hook requests for the arguments', async () => {
    const hook = async (
      ctx: { requireApproval(reason: string): void },
      args: JsonObject,
      callNext: (args: JsonObject) => unknown,
    ): Promise<unknown> => {
      ctx.requireApproval('it is late')
      return callNext(args)
    }
    const { host } = await openOffice({ fields: { toolHooks: [hook] } as never })
    const { approve, asked } = person(always, always, always, always, always)
    await host.run('Lead', 'go', { approve })
    expect(asked.filter((agent) => agent === 'Lead').length).toBeGreaterThan(1)
  })

  it('a remembered approval does not give a headless run the tool', async () => {
    const { path } = await openProject({})
    const { host, sent } = await openOffice({ stateFolder: path })
    await host.run('Lead', 'go', { approve: person(always, always).approve })
    sent.length = 0
    await host.run('Lead', 'go', { headless: true })
    expect(sent).toEqual([])
  })
})

describe(`the rules of troupe.json ${verifies('R16')}`, () => {
  it.each([
    ['allow', ['Lead', 'Lead', 'Clerk']],
    ['deny', []],
  ] as const)('the rules of troupe.json %s tools of all agents by name', async (rule, expected) => {
    const { host, sent } = await openOffice({ config: { permissions: { [rule]: ['se*'] } } })
    const { asked, approve } = person(once, once, once)
    await host.run('Lead', 'go', { approve })
    expect([asked, sent]).toEqual([[], expected])
  })

  it('a deny rule of troupe.json overrides what a card allows, and an ask rule what it does not mention', async () => {
    const fields = { permissions: { allow: ['send'] } }
    const denied = await openOffice({ fields, config: { permissions: { deny: ['send'] } } })
    await denied.host.run('Lead', 'go', { approve: person(once, once, once).approve })
    expect(denied.sent).toEqual([])
    const asking = await openOffice({ fields, config: { permissions: { ask: ['send'] } } })
    const { approve, asked } = person(once, once, once)
    await asking.host.run('Lead', 'go', { approve })
    expect(asked).toEqual(['Lead', 'Lead', 'Clerk'])
  })

  it('rules of troupe.json that are not lists of names are rejected', async () => {
    await expect(
      openOffice({ config: { permissions: { alow: ['x'] } } }).then(({ host }) => host.plan().problems),
    ).resolves.toMatchObject([{ severity: 'error' }])
  })
})
