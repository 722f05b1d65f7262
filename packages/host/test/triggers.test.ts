import { defineAgent } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { card, openTeam } from './support/open-team.ts'

const CLERK = card({ model: 'passthrough', name: 'Clerk', default: true })

/** Opens a team with the clerk and a troupe.json with one schedule per line. */
function schedulesOf(...schedules: readonly object[]) {
  const lines = schedules.map((schedule) => `  ${JSON.stringify(schedule)}`)
  return openTeam({ 'clerk.md': CLERK, 'troupe.json': `{"schedules": [\n${lines.join(',\n')}\n]}` })
}

const DAILY = { name: 'daily', agent: 'Clerk', cron: '0 9 * * *', input: 'Go' }

describe('schedules of a team', () => {
  it('schedules come from the configuration and from cards, with their defaults', async () => {
    const host = await openTeam({
      'clerk.md': CLERK,
      'poet.md': card({
        name: 'Poet',
        model: 'passthrough',
        schedule: {
          cron: '*/5 * * * *',
          timeZone: 'Europe/Berlin',
          input: { topic: 'sea' },
          overlap: 'queue',
          priority: 500,
        },
      }),
      'troupe.json': JSON.stringify({ schedules: [{ ...DAILY, catchUp: 'last', input: '${GREETING}' }] }),
      'troupe.env': 'GREETING=Hello',
    })
    expect(host.plan().problems).toEqual([])
    expect(host.schedules()).toEqual([
      { ...DAILY, timeZone: 'UTC', input: 'Hello', overlap: 'skip', catchUp: 'last', priority: 100 },
      {
        name: 'Poet',
        agent: 'Poet',
        cron: '*/5 * * * *',
        timeZone: 'Europe/Berlin',
        input: { topic: 'sea' },
        overlap: 'queue',
        catchUp: 'none',
        priority: 500,
      },
    ])
    expect(host.schedules()).toBe(host.schedules())
    expect(host.definition('Poet').schedule).toMatchObject({ cron: '*/5 * * * *' })
  })

  it.each([
    [
      { ...DAILY, cron: '0 9 * *' },
      'schedules.0.cron: "0 9 * *" is not a cron expression',
      'schedule_invalid',
    ],
    [{ ...DAILY, cron: '0 0 30 2 *' }, 'schedules.0.cron: "0 0 30 2 *" never fires', 'schedule_invalid'],
    [{ ...DAILY, timeZone: 'Mars' }, 'schedules.0.timeZone: "Mars" is not a time zone', 'schedule_invalid'],
    [{ ...DAILY, input: undefined }, 'schedules.0.input: is missing', 'schedule_invalid'],
    [
      { ...DAILY, agent: 'Clark' },
      'schedules.0.agent: there is no agent "Clark"; did you mean "Clerk"?',
      'agent_unknown',
    ],
    [{ ...DAILY, priority: 0 }, 'schedules.0.priority', 'config_invalid'],
    [
      { ...DAILY, overlapp: 'skip' },
      'schedules.0.overlapp: unknown key; did you mean "overlap"?',
      'config_invalid',
    ],
  ])(
    'the schedule %j of troupe.json is an error that names file, key and fix',
    async (schedule, message, code) => {
      const host = await schedulesOf(schedule)
      expect(host.plan().problems).toMatchObject([
        {
          severity: 'error',
          code,
          message: expect.stringContaining(message),
          file: `${host.path}/troupe.json`,
          line: 2,
          fix: expect.stringMatching(/./u),
        },
      ])
      expect(host.schedules()).toEqual([])
      expect(host.agents()).toEqual([])
    },
  )

  it('two schedules with one name are an error', async () => {
    const host = await schedulesOf(DAILY, { ...DAILY, cron: '0 10 * * *' })
    expect(host.plan().problems).toMatchObject([
      { code: 'schedule_invalid', message: 'schedules.1.name: two schedules are named "daily".', line: 3 },
    ])
    expect(host.schedules()).toHaveLength(1)
  })

  it('a bad schedule of a card is an error of the card, and other agents run', async () => {
    const host = await openTeam({
      'clerk.md': CLERK,
      'poet.md': `---\nname: Poet\ndescription: Writes.\nmodel: passthrough\nschedule:\n  cron: 0 25 * * *\n  input: Go\n---\nHelp.\n`,
    })
    expect(host.plan().problems).toMatchObject([
      { severity: 'error', code: 'schedule_invalid', agent: 'Poet', file: `${host.path}/poet.md`, line: 6 },
    ])
    expect(host.agents().map(({ name }) => name)).toEqual(['Clerk'])
  })

  it('a schedule or hook of an agent whose card cannot be read adds no error to those of the card', async () => {
    const host = await openTeam({
      'clerk.md': CLERK,
      'poet.md': '---\ndescription: Writes.\nschedule:\n  cron: * * * * *\n---\nWrite.\n',
      'troupe.json': JSON.stringify({
        schedules: [{ ...DAILY, agent: 'poet' }],
        hooks: [{ name: 'push', agent: 'poet', secret: '${HOOK}', input: 'x' }],
      }),
    })
    expect(host.plan().problems).toMatchObject([
      { severity: 'error', code: 'card_bad_yaml', file: `${host.path}/poet.md`, line: 4 },
    ])
    expect(host.schedules()).toEqual([])
    expect(host.agents().map(({ name }) => name)).toEqual(['Clerk'])
  })

  it('the schedule of a hidden agent is reported, because it never fires', async () => {
    const schedule = { cron: '0 9 * * *', input: 'Go' }
    const inCard = await openTeam({
      'clerk.md': card({ name: 'Clerk', model: 'passthrough', hidden: true, schedule }),
      'boss.md': card({ name: 'Boss', model: 'passthrough', agents: ['Clerk'] }),
    })
    expect(inCard.schedules()).toEqual([])
    expect(inCard.plan().problems).toMatchObject([{ severity: 'warning', code: 'key_without_effect' }])
    const inConfig = await openTeam({
      'clerk.md': card({ name: 'Clerk', model: 'passthrough', hidden: true }),
      'boss.md': card({ name: 'Boss', model: 'passthrough', agents: ['Clerk'] }),
      'troupe.json': JSON.stringify({ schedules: [DAILY] }),
    })
    expect(inConfig.plan().problems).toMatchObject([
      { severity: 'error', message: 'schedules.0.agent: Clerk is hidden, so it is never served.' },
    ])
  })

  it('a single card runs without the agents that schedules and hooks of its folder name', async () => {
    const host = await openTeam(
      {
        'clerk.md': CLERK,
        'troupe.json': JSON.stringify({
          schedules: [{ ...DAILY, agent: 'Poet' }],
          hooks: [{ name: 'push', agent: 'Poet', secret: '${HOOK}', input: 'x' }],
        }),
      },
      { cards: ['clerk.md'] },
    )
    expect(host.plan().problems).toEqual([])
    expect(host.schedules()).toEqual([])
    expect((await host.run('Clerk', 'Hello')).outcome).toBe('completed')
  })

  it('an agent from code may have a schedule', async () => {
    const clerk = defineAgent({
      name: 'Clerk',
      description: 'Helps.',
      instruction: 'Help.',
      model: 'passthrough',
      schedule: { cron: '0 9 * * *', input: 'Go' },
    })
    const host = await openTeam({}, { cards: [clerk] })
    expect(host.schedules()).toMatchObject([{ name: 'Clerk', agent: 'Clerk', cron: '0 9 * * *' }])
  })
})

describe('webhooks of a team', () => {
  const hook = { name: 'push', agent: 'Clerk', secret: '${HOOK_SECRET}', input: 'Look at {head}' }
  const hooksOf = (...hooks: readonly object[]) =>
    openTeam(
      { 'clerk.md': CLERK, 'troupe.json': JSON.stringify({ hooks }) },
      { env: { HOOK_SECRET: 'a-long-secret-of-the-hook' } },
    )

  it('the secret of a webhook comes from a variable, and is redacted', async () => {
    const host = await hooksOf(hook)
    expect(host.plan().problems).toEqual([])
    expect(host.settings('hooks')).toEqual([{ ...hook, secret: 'a-long-secret-of-the-hook' }])
    expect(host.redact('a-long-secret-of-the-hook')).toBe('[redacted:HOOK_SECRET]')
  })

  it('a missing variable is an error of the server and not of the agents', async () => {
    const host = await openTeam({ 'clerk.md': CLERK, 'troupe.json': JSON.stringify({ hooks: [hook] }) })
    expect(() => host.settings('hooks')).toThrow('HOOK_SECRET')
    expect((await host.run('Clerk', 'Hello')).outcome).toBe('completed')
  })

  it('a secret in the file is a warning', async () => {
    const host = await hooksOf({ ...hook, secret: 'written-in-the-file' })
    expect(host.plan().problems).toMatchObject([
      { severity: 'warning', message: 'hooks.0.secret: the secret is written in the file.' },
    ])
    expect(host.redact('written-in-the-file')).not.toContain('written')
  })

  it.each([
    [[hook, hook], 'hooks.1.name: two hooks are named "push".'],
    [[{ ...hook, agent: 'Clark' }], 'hooks.0.agent: there is no agent "Clark"'],
    [[{ ...hook, name: 'a/b' }], 'hooks.0.name: expected 1 to 100 letters'],
    [[{ ...hook, secret: undefined }], 'hooks.0.secret'],
  ])('the webhooks %j are an error', async (hooks, message) => {
    const host = await hooksOf(...hooks)
    expect(host.plan().problems).toMatchObject([
      { severity: 'error', message: expect.stringContaining(message) },
    ])
  })
})
