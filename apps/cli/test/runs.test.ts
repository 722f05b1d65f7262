import { join } from 'node:path'
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { RunEvent, RunReport } from '@troupe/schema'
import { startFakeOpenAI } from '@troupe/testkit'
import { fakeClock } from '@troupe/testkit/internal'
import { openSqliteStore } from '@troupe/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runProgram } from '../src/program.ts'
import type { StoredRunSummary } from '../src/run-store/run-summary.ts'
import { shell } from './shell.ts'
import { oneAgent, TIME_TEAM } from './team.ts'
import { testContext, type TestContextOptions } from './test-context.ts'

const FILE = '.local/state/troupe/runs.db'

describe('a run of the program', () => {
  it('a run is saved in the state folder, readable only by this user', async () => {
    const { path, run } = await shell(TIME_TEAM)
    expect((await run('run', 'team', 'What time is it?')).code).toBe(0)
    expect(statSync(join(path, FILE)).mode & 0o777).toBe(0o600)
    const [kept] = JSON.parse((await run('runs', 'list', '--json')).out) as readonly StoredRunSummary[]
    expect(kept).toMatchObject({
      agent: 'Time',
      state: 'completed',
      input: 'What time is it?',
      detail: 'full',
    })
  })

  it('--no-store does not save a run, and --store saves it to another file', async () => {
    const { path, run } = await shell(TIME_TEAM)
    await run('run', 'team', 'x', '--no-store')
    expect(existsSync(join(path, FILE))).toBe(false)
    await run('run', 'team', 'x', '--store', 'here.db')
    expect((await run('runs', 'list', '--store', 'here.db')).out).toContain('Completed')
  })

  it('a run is saved in the store that the configuration beside its card names', async () => {
    const { path, run } = await shell({
      ...TIME_TEAM,
      'team/troupe.json': '{ "store": { "url": "${PLACE}/kept.db" } }',
      'team/troupe.env': 'PLACE=runs\n',
    })
    expect((await run('run', 'team', 'x')).code).toBe(0)
    expect(existsSync(join(path, 'team/runs/kept.db'))).toBe(true)
    expect(existsSync(join(path, FILE))).toBe(false)
  })

  it('a command without cards reads the store of the configuration of the working folder', async () => {
    const { run } = await shell({ ...TIME_TEAM, 'troupe.json': '{ "store": { "url": "kept.db" } }' })
    await run('run', 'team', 'x')
    expect((await run('runs', 'list')).out).toContain('Completed')
    expect((await run('runs', 'list', '--store', 'kept.db')).out).toContain('Completed')
  })

  it('--store wins over the configuration, and a store in the configuration must open', async () => {
    const { path, run } = await shell({
      ...TIME_TEAM,
      'troupe.json': '{ "store": { "url": "team/kept.db/runs.db" } }',
      'team/kept.db': 'a file',
    })
    const refused = await run('run', 'team', 'x')
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain('kept.db')
    expect((await run('run', 'team', 'x', '--store', 'here.db')).code).toBe(0)
    expect(existsSync(join(path, 'here.db'))).toBe(true)
  })

  it('a broken configuration is an error of commands whose store it may name', async () => {
    const { run } = await shell({ 'troupe.json': '{ "store": { "url": "${NOWHERE}" } }' })
    const { code, err } = await run('runs', 'list')
    expect(code).toBe(2)
    expect(err).toContain('NOWHERE')
    expect((await run('runs', 'list', '--store', 'here.db')).err).not.toContain('NOWHERE')
  })

  it('a run continues without a store if the state folder is not writable, and warns once', async () => {
    const { run } = await shell({ ...TIME_TEAM, '.local/state': 'a file' })
    const { code, err } = await run('run', 'team', 'x')
    expect(code).toBe(0)
    expect(err.match(/The run is not saved/gu)).toHaveLength(1)
  })

  it('a run whose prompt contains the date is resumed with the date on which it started', async () => {
    const files = {
      'one.ai': `---
name: one
description: Sends mail.
models: script/script.yaml
functionTools: [send.mjs:send]
requiresApproval: [send]
---
It is \${DATETIME}.
`,
      'send.mjs': 'export const send = () => "sent"\n',
      'script.yaml': "agents:\n  one:\n    - call: [{ tool: send }]\n    - say: '{{results.0.text}}'\n",
    }
    const { run } = await shell(files)
    // The clock of a test command starts in 1970, so the date of today would be another one.
    expect((await run('run', 'one.ai', 'Go.', '--wait')).code).toBe(6)
    expect(await run('runs', 'approve', 'run_', '--quiet')).toMatchObject({ code: 0, out: 'sent\n' })
    expect((await run('run', 'one.ai', 'Go.', '--wait')).code).toBe(6)
    const [{ runId }] = JSON.parse((await run('runs', 'list', '--json')).out) as [StoredRunSummary]
    expect((await run('run', 'one.ai', '--resume', runId, '--yes')).out).toBe('sent\n')
  })

  it('a resumed run prints each problem once: those from before the resume in a list, later ones as lines', async () => {
    const { run } = await shell({
      'one.ai': `---
name: one
description: Sends mail.
models: script/script.yaml
functionTools: [send.mjs:send]
requiresApproval: [send]
---
Send it.
`,
      'send.mjs': 'export const send = () => "sent"\n',
      'script.yaml':
        'agents:\n  one:\n    - call: [{ tool: nothing }]\n    - call: [{ tool: send }]\n    - call: [{ tool: void }]\n    - say: Done.\n',
    })
    expect((await run('run', 'one.ai', 'Go.', '--wait')).code).toBe(6)
    const { out, err } = await run('run', '--resume', 'run_', '--yes')
    expect(out).toBe('Done.\n')
    expect(err).toMatch(/problems: 2\n {2}one, nothing: Unknown tool: nothing \[tool_unknown\]\n$/u)
    expect(err.match(/Unknown tool: \w+/gu)).toEqual(['Unknown tool: void', 'Unknown tool: nothing'])
  })

  it('an ambiguous id is rejected with the ids of three runs that it may mean', async () => {
    const { run } = await shell(TIME_TEAM)
    for (let count = 0; count < 4; count += 1) await run('run', 'team', 'x')
    const { code, err } = await run('runs', 'show', 'run_')
    expect([code, err.match(/run_\w+/gu)?.length]).toEqual([2, 3])
    expect(err.replaceAll(/\s+/gu, ' ')).toContain('`troupe runs list` prints the ids')
  })

  it('a store of a later version is not changed, and a run continues without it unless --store named it', async () => {
    const { path, run } = await shell(TIME_TEAM)
    await run('run', 'team', 'x')
    const database = new DatabaseSync(join(path, FILE))
    database.exec('PRAGMA user_version = 99')
    database.close()
    const { code, err } = await run('run', 'team', 'x')
    expect(code).toBe(0)
    expect(err).toContain('the store has version 99')
    expect(err).toContain('The run is not saved')
    const named = await run('run', 'team', 'x', '--store', FILE)
    expect(named).toMatchObject({ code: 1, out: '' })
    expect(named.err).toContain('[store/store_newer]')
  })

  it('a run ends if the store named by --store cannot be used', async () => {
    const { run } = await shell({
      ...TIME_TEAM,
      'notes.txt': 'no database, but long enough to be read as one.'.repeat(9),
    })
    const { code, err } = await run('run', 'team', 'x', '--store', 'notes.txt')
    expect(code).toBe(1)
    expect(err).toContain('[store/store_corrupt]')
  })
})

describe('troupe runs', () => {
  it('troupe runs list shows the latest runs first, with outcome and cost, and filters them', async () => {
    const { run } = await shell({ ...TIME_TEAM, ...oneAgent('- fail: {status: 401}') })
    await run('run', 'team', 'first')
    await run('run', 'one.md', 'second')
    const { out } = await run('runs', 'list')
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^run +agent +outcome +started +took +cost +message$/u)
    expect(lines[1]).toMatch(/^run_\w+ +One +Failed .* second$/u)
    expect(lines[2]).toMatch(/^run_\w+ +Time +Completed .* first$/u)
    expect((await run('runs', 'list', '--state', 'failed')).out).not.toContain('Time')
    expect((await run('runs', 'list', '--state', 'broken')).err).toContain('Use one of completed, ')
    expect((await run('runs', 'list', '--agent', 'Time', '--limit', '1')).out).not.toContain('One')
  })

  it('runs show, tree, events and export accept the first characters of an id', async () => {
    const { run } = await shell(TIME_TEAM)
    const report = JSON.parse((await run('run', 'team', 'time?', '--json')).out) as RunReport
    const id = report.runId.slice(0, 12)
    const shown = await run('runs', 'show', id)
    expect(shown.out).toContain('tool-> agent__City[1] {"text":"Paris"}')
    expect(shown.out).toContain('It is five in Paris; It is five in Rome')
    expect(shown.out).toMatch(/^City +2 /mu)
    expect(JSON.parse((await run('runs', 'show', id, '--json')).out)).toMatchObject({
      runId: report.runId,
      state: 'completed',
      output: report.output,
      byAgent: [{ agent: 'Time' }, { agent: 'City', runs: 2 }],
    })
    const tree = await run('runs', 'tree', id)
    expect(tree.out.split('\n').map((line) => line.replace(/ \(.*\)/u, ''))).toEqual([
      '✓ Time  Completed  --at 1 to 2',
      '├─ ✓ City[1]  Completed  --at 1.1/1 to 1.1/2',
      '└─ ✓ City[2]  Completed  --at 1.2/1 to 1.2/2',
      '',
    ])
    const events = (await run('runs', 'events', id, '--json')).out.trimEnd().split('\n')
    expect(events.map((line) => (JSON.parse(line) as RunEvent).seq)).toEqual(
      events.map((_, index) => index + 1),
    )
    expect((await run('runs', 'events', id, '--after', '2', '--json')).out.trimEnd().split('\n')).toEqual(
      events.slice(2),
    )
    expect((await run('runs', 'events', id)).out).toMatch(/^ +\d+ child:agent__City\[2\] \w{8} calls now/mu)
    const [head, ...rest] = (await run('runs', 'export', id)).out.trimEnd().split('\n')
    expect(JSON.parse(head ?? '')).toEqual({
      troupeRun: 1,
      rootRunId: report.runId,
      detail: 'full',
      events: events.length,
    })
    expect(rest.filter((line) => line.startsWith('{"step"')).length).toBeGreaterThan(5)
    expect((await run('runs', 'tail', id, '--json')).out.trimEnd().split('\n')).toEqual(events)
  })

  it('below the tree, runs tree names the command of --at, on a terminal only', async () => {
    const { path, run } = await shell(TIME_TEAM)
    const { runId } = JSON.parse((await run('run', 'team', 'x', '--json')).out) as RunReport
    const lastLine = async (options: TestContextOptions, ...args: readonly string[]): Promise<unknown> => {
      const context = testContext({ cwd: path, home: path, ...options })
      await runProgram(['runs', 'tree', runId, ...args], context)
      return context.out().trimEnd().split('\n').at(-1)
    }
    const store = ['--store', FILE]
    const command = `troupe runs fork ${runId} --at TURN`
    expect(await lastLine({ tty: true, env: { NO_COLOR: '1' } })).toBe(`fork: ${command}`)
    expect(await lastLine({ tty: true, env: { npm_command: 'exec' } }, ...store)).toBe(
      `\u001B[2mfork: npx ${command} --store ${FILE}\u001B[22m`,
    )
    expect(await lastLine({})).toContain('--at 1.2/1 to 1.2/2')
    expect(await lastLine({ tty: true }, '--json')).toBe(']')
  })

  it('runs purge deletes only selected runs', async () => {
    const { run } = await shell(TIME_TEAM)
    await run('run', 'team', 'x')
    expect(await run('runs', 'purge')).toMatchObject({ code: 2 })
    expect((await run('runs', 'purge', '--older-than', '30d')).out).toBe('0 runs deleted\n')
    expect((await run('runs', 'purge', '--keep', '1', '--max-bytes', '1000000')).out).toBe('0 runs deleted\n')
    await run('run', 'team', 'y')
    expect((await run('runs', 'purge', '--keep', '1')).out).toBe('1 run deleted\n')
    expect((await run('runs', 'purge', '--keep', 'some')).code).toBe(2)
    expect((await run('runs', 'purge', '--all')).out).toBe('1 run deleted\n')
    expect((await run('runs', 'list')).out).toBe('no runs\n')
  })

  it('troupe runs reports an unknown run and a missing store', async () => {
    const { run } = await shell(TIME_TEAM)
    expect(await run('runs', 'list')).toMatchObject({ code: 0, out: 'no runs\n', err: '' })
    expect(await run('runs', 'list', '--json')).toMatchObject({ code: 0, out: '[]\n' })
    for (const args of [
      ['list', '--store', 'none.db'],
      ['show', 'run_x'],
    ])
      expect((await run('runs', ...args)).err).toContain('[store/store_unavailable]')
    await run('run', 'team', 'x')
    expect((await run('runs', 'show', 'run_none')).err).toContain('[store/run_unknown]')
    expect((await run('runs', 'show', 'run_')).code).toBe(0)
  })
})

describe('--resume', () => {
  /** Returns a store as it is left by a process that was killed after so many events. */
  async function interrupted(path: string, events: number, { note = true } = {}): Promise<string> {
    const store = await openSqliteStore({
      path: join(path, FILE),
      clock: fakeClock(),
      random: () => 0.5,
      writer: { token: 'test', pid: 2, host: 'here', isAlive: () => true },
    })
    const [root] = await store.roots()
    const id = root?.rootRunId ?? ''
    const kept = (await store.events(id)).slice(0, events)
    const begun = new Set(kept.map((event) => event.runId))
    const log = await store.open('run_cut', 'test')
    for (const { seq: _, ...event } of kept) {
      const runId = event.runId === id ? 'run_cut' : event.runId
      log.append({ runId, event: { ...event, runId, rootRunId: 'run_cut' } })
    }
    for (const runId of begun)
      for (const [key, value] of await store.steps(id, runId))
        if (key === 'begin' || key === 'llm:1')
          log.append({
            runId: runId === id ? 'run_cut' : runId,
            step: { key, value: rename(note ? value : withoutNote(value), id) },
          })
    await log.close()
    await store.close()
    return 'run_cut'
  }

  const rename = (value: unknown, id: string): never =>
    JSON.parse(JSON.stringify(value).replaceAll(id, 'run_cut')) as never

  const withoutNote = (value: unknown): unknown => ({ ...(value as object), note: undefined })

  it('runs show counts the time of an interrupted run up to its last event', async () => {
    const { path, run } = await shell(TIME_TEAM)
    await run('run', 'team', 'time?')
    const id = await interrupted(path, 3)
    const { startedAt, durationMs } = JSON.parse((await run('runs', 'show', id, '--json')).out) as {
      readonly startedAt: number
      readonly durationMs: number
    }
    const [, , last] = (await run('runs', 'events', id, '--json')).out.trim().split('\n')
    expect(startedAt + durationMs).toBe((JSON.parse(last ?? '') as { readonly time: number }).time)
  })

  it('runs show and runs list print no duration of an interrupted run, and show prints the time of its last event', async () => {
    const { path, run } = await shell(TIME_TEAM)
    await run('run', 'team', 'time?')
    const id = await interrupted(path, 3)
    const [, , last] = (await run('runs', 'events', id, '--json')).out.trim().split('\n')
    const { time } = JSON.parse(last ?? '') as { readonly time: number }
    const { out } = await run('runs', 'show', id)
    expect(out).toContain(`\nlast event ${new Date(time).toISOString()}\n`)
    expect(out).toMatch(/^Time +not ended +0 ms +– /mu)
    const { out: list } = await run('runs', 'list', '--state', 'interrupted')
    expect(list).toMatch(/^run_cut +Time +Interrupted +[-\d]+ [:\d]+ +– +– /mu)
  })

  it('--resume uses the cards that the run started with, from any folder', async () => {
    const { path, run } = await shell(TIME_TEAM)
    await run('run', 'team', 'time?')
    const id = await interrupted(path, 3)
    expect((await run('runs', 'list', '--state', 'interrupted')).out).toContain(id)
    expect((await run('runs', 'show', id)).out).toContain(`troupe run --resume ${id}`)
    const context = testContext({ cwd: '/', home: path })
    expect(await runProgram(['run', '--resume', id, '--json'], context)).toBe(0)
    expect(JSON.parse(context.out())).toMatchObject({
      runId: id,
      output: { text: 'It is five in Paris; It is five in Rome' },
      usage: { modelCalls: 6, toolCalls: 4 },
    })
    expect((await run('runs', 'list', '--state', 'interrupted')).out).toBe('no runs\n')
  })

  it('runs show prints the resume command with <card> for a run of another program, and with the store', async () => {
    const { path, run } = await shell(TIME_TEAM)
    await run('run', 'team', 'time?')
    const id = await interrupted(path, 3, { note: false })
    const { out } = await run('runs', 'show', id, '--store', FILE)
    expect(out).toContain(`\nresume troupe run <card> --resume ${id} --store ${FILE}\n`)
    const withNpx = testContext({ cwd: path, home: path, env: { npm_command: 'exec' } })
    await runProgram(['runs', 'show', id], withNpx)
    expect(withNpx.out()).toContain(`\nresume npx troupe run <card> --resume ${id}\n`)
    expect((await run('run', '--resume', id)).err).toContain(
      `fix: Pass them: troupe run <card> --resume ${id}`,
    )
    expect((await run('run', 'team', '--resume', id)).code).toBe(0)
  })

  it('--resume rejects changed cards without --accept-changes', async () => {
    const { path, run } = await shell(TIME_TEAM)
    await run('run', 'team', 'time?')
    const id = await interrupted(path, 3)
    const changed = await shell({ ...TIME_TEAM, 'team/time.md': `${TIME_TEAM['team/time.md']} Be quick.` })
    const args = ['run', join(changed.path, 'team'), '--resume', id]
    const refused = await run(...args)
    expect(refused.err).toContain('[store/run_changed]')
    expect((await run(...args, '--accept-changes')).out).toBe('It is five in Paris; It is five in Rome\n')
  })

  it('--resume takes no message', async () => {
    const { run } = await shell(TIME_TEAM)
    expect(await run('run', 'team', 'hello', '--resume', 'run_x')).toMatchObject({ code: 2 })
  })
})

it('runs show prints why a run failed and where the refused key is, also of a child', async () => {
  const provider = await startFakeOpenAI({
    answers: ({ body }) => {
      const text = JSON.stringify(body)
      if (!text.includes('"boss"')) return { status: 401, message: 'No such key.' }
      return text.includes('"role":"tool"')
        ? { status: 401, message: 'No such key.' }
        : { calls: [{ name: 'agent__Boom', args: { text: 'Hi' } }] }
    },
  })
  onTestFinished(() => provider.close())
  const { run } = await shell({
    'troupe.json': JSON.stringify({
      providers: { openai: { apiKey: 'sk-the-key-of-acme-1234', baseURL: provider.baseURL } },
    }),
    'team/Boss.md': '---\nname: Boss\ndefault: true\nmodel: openai/boss\nagents: [Boom]\n---\nAsk.\n',
    'team/Boom.md': '---\nname: Boom\ndescription: Fails.\nmodel: openai/boom\n---\nFail.\n',
  })
  expect((await run('run', 'team', 'Hi')).code).toBe(1)
  const [{ runId = '' } = {}] = JSON.parse(
    (await run('runs', 'list', '--json')).out,
  ) as readonly Partial<StoredRunSummary>[]
  const { out, err } = await run('runs', 'show', runId)
  const where = 'Check the API key: providers.openai.apiKey from the configuration.'
  expect(out).toContain(`model_auth: The model openai/boom answered 401: No such key. ${where}`)
  expect(err).toContain('error: The model openai/boss answered 401: No such key. [auth/model_auth]')
  expect(err).toContain(`fix: ${where}`)
})
