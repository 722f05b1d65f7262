import { describe, expect, it } from 'vitest'
import { serveFolder } from './serve-folder.ts'
import { startProgram } from './start-program.ts'
import { project } from './team.ts'

const STORE = ['--store', 'here.db']
const TEAM = {
  'clerk.md': '---\nname: Clerk\ndescription: Repeats.\nmodel: passthrough\ndefault: true\n---\nRepeat.\n',
  'poet.md':
    '---\nname: Poet\ndescription: Repeats.\nmodel: passthrough\nschedule: {cron: "0 9 * * 1-5", timeZone: Europe/Berlin, input: Write.}\n---\nRepeat.\n',
  'troupe.json': JSON.stringify({
    schedules: [{ name: 'daily', agent: 'Clerk', cron: '30 6 * * *', input: 'Good morning' }],
  }),
}

async function team(files: Readonly<Record<string, string>> = TEAM) {
  const { path } = await project(files)
  return {
    path,
    async troupe(...args: readonly string[]) {
      const program = startProgram(args, path)
      const [code] = await program.ends()
      return { code, out: program.out(), err: program.err() }
    },
  }
}

describe('troupe schedules', () => {
  it('troupe schedules list prints each schedule with its next firing in its time zone', async () => {
    const { troupe } = await team()
    const list = await troupe('schedules', 'list')
    expect(list.code).toBe(0)
    const [titles, daily, poet] = list.out.split('\n')
    expect(titles).toMatch(/^schedule +agent +cron +time zone +next +last +state$/u)
    expect(daily).toMatch(/^daily +Clerk +30 6 \* \* \* +UTC +\d{4}-\d\d-\d\d 06:30 +– +active$/u)
    expect(poet).toMatch(/^Poet +Poet +0 9 \* \* 1-5 +Europe\/Berlin +\d{4}-\d\d-\d\d 09:00 +– +active$/u)
    const json = JSON.parse((await troupe('schedules', 'list', '--json')).out) as readonly object[]
    expect(json).toMatchObject([
      { name: 'daily', isPaused: false },
      { name: 'Poet', overlap: 'skip' },
    ])
    expect((await (await team({ 'clerk.md': TEAM['clerk.md'] })).troupe('schedules', 'list')).out).toBe(
      'no schedules\n',
    )
  })

  it('troupe schedules list prints the errors of a team, which may hide schedules, and exits with 2', async () => {
    const poet = '---\ndescription: Repeats.\nschedule:\n  cron: * * * * *\n---\nRepeat.\n'
    const error = /^poet\.md:4:\d+ {2}error {2}This is not valid YAML/u
    const { troupe } = await team({ ...TEAM, 'poet.md': poet })
    const list = await troupe('schedules', 'list')
    expect(list).toMatchObject({ code: 2, err: expect.stringMatching(error) })
    expect(list.out).toMatch(/^daily +Clerk /mu)
    const alone = await team({ 'clerk.md': TEAM['clerk.md'], 'poet.md': poet })
    expect(await alone.troupe('schedules', 'list')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(error),
    })
  })

  it('troupe schedules run, pause and resume print the error of a card that hides the schedule', async () => {
    const poet = '---\nname: Poet\ndescription: Repeats.\nschedule:\n  cron: * * * * *\n---\nRepeat.\n'
    const { troupe } = await team({ ...TEAM, 'poet.md': poet })
    for (const command of ['run', 'pause', 'resume'])
      expect(await troupe('schedules', command, 'Poet', ...STORE)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(
          /^poet\.md:5:\d+ {2}error {2}This is not valid YAML[^]*^error: There is no schedule "Poet"\. Known: daily\./mu,
        ),
      })
  })

  it('troupe schedules run runs the schedule once and prints the answer', async () => {
    const { troupe } = await team()
    const run = await troupe('schedules', 'run', 'daily', ...STORE)
    expect(run).toMatchObject({ code: 0, out: 'Good morning\n' })
    const [daily] = JSON.parse((await troupe('schedules', 'list', '--json', ...STORE)).out) as readonly {
      readonly last?: { readonly runId: string; readonly state: string }
    }[]
    expect(daily?.last?.state).toBe('started')
    const shown = await troupe('runs', 'show', daily?.last?.runId ?? '', ...STORE)
    expect(shown.out).toContain('Clerk')
    const { out: listed } = await troupe('schedules', 'list', ...STORE)
    expect(listed).toMatch(/^daily .* \d\d:\d\d completed +active$/mu)
    const unknown = await troupe('schedules', 'run', 'dailly', ...STORE)
    expect(unknown.code).not.toBe(0)
    expect(unknown.err).toContain('There is no schedule "dailly"; did you mean "daily"? Known: daily, Poet.')
  })

  it('troupe schedules pause and resume apply to a server on the same store', async () => {
    const { path, troupe } = await team()
    const { url, program } = await serveFolder(path, '.', ...STORE)
    expect(program.out()).toMatch(
      /^# 2 schedules; next: (?:daily at \d{4}-\d\d-\d\d 06:30 \(UTC\)|Poet at \d{4}-\d\d-\d\d 09:00 \(Europe\/Berlin\))$/mu,
    )
    const paused = async (): Promise<readonly boolean[]> => {
      const body = (await (await fetch(`${url}/api/schedules`)).json()) as {
        readonly schedules: readonly { readonly isPaused: boolean }[]
      }
      return body.schedules.map(({ isPaused }) => isPaused)
    }
    expect(await paused()).toEqual([false, false])
    expect(await troupe('schedules', 'pause', 'daily', ...STORE)).toMatchObject({
      code: 0,
      out: 'daily paused\n',
    })
    expect(await paused()).toEqual([true, false])
    expect((await troupe('schedules', 'list', ...STORE)).out).toMatch(/^daily .* – +– +paused$/mu)
    const resumed = await troupe('schedules', 'resume', 'daily', '--json', ...STORE)
    expect(JSON.parse(resumed.out)).toEqual({ name: 'daily', isPaused: false })
    expect(await paused()).toEqual([false, false])
  })

  it('troupe check reports a schedule that never fires, and --explain lists the next firings', async () => {
    const { troupe } = await team()
    const explained = await troupe('check', '.', '--explain')
    expect(explained.out).toMatch(/^schedule daily of Clerk: (?:\d{4}-\d\d-\d\d 06:30(?:, )?){3} \(UTC\)$/mu)
    const bad = { schedules: [{ name: 'never', agent: 'Clerk', cron: '0 0 31 2 *', input: 'x' }] }
    const broken = await team({ ...TEAM, 'troupe.json': JSON.stringify(bad, null, 2) })
    const check = await broken.troupe('check', '.')
    expect(check.code).toBe(2)
    expect(check.out).toContain('troupe.json:6:7  error  schedules.0.cron: "0 0 31 2 *" never fires.')
    expect(check.out).toContain('fix: Write a date that exists')
  })

  it('troupe serve receives webhooks with a secret from a variable', async () => {
    const { createHmac } = await import('node:crypto')
    const { path } = await team({
      'clerk.md': TEAM['clerk.md'],
      'troupe.json': JSON.stringify({
        hooks: [{ name: 'push', agent: 'Clerk', secret: '${HOOK_SECRET}', input: 'Look at {ref}' }],
      }),
      'troupe.env': 'HOOK_SECRET=a-secret-of-the-webhook\n',
    })
    const { url } = await serveFolder(path, '.', ...STORE)
    const body = '{"ref": "main"}'
    const signature = createHmac('sha256', 'a-secret-of-the-webhook').update(body).digest('hex')
    const answer = await fetch(`${url}/hooks/push`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
      body,
    })
    expect(answer.status).toBe(202)
    const { runId } = (await answer.json()) as { readonly runId: string }
    const run = (await (await fetch(`${url}/api/runs/${runId}`)).json()) as object
    expect(run).toMatchObject({ agent: 'Clerk', input: 'Look at main' })
  })
})
