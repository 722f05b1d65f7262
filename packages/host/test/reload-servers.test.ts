import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROCESS_GROUPS } from '@troupe/process'
import { scriptedModel, type ScriptedStep } from '@troupe/testkit'
import { deferred, leakCheck, recordEvents, settle } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { card, openTeam, stdioServer, type RunningTeam } from './support/open-team.ts'

const withServer = (mark: string, rest: Readonly<Record<string, unknown>> = {}, prompt = 'x'): string =>
  card(
    { name: 'A', model: 'm', mcpServers: { srv: { ...stdioServer(), env: { MARK: mark } } }, ...rest },
    prompt,
  )

/** The ids that servers report are those of this machine. */
const containment = async () => PROCESS_GROUPS

const CALL: ScriptedStep = { calls: [{ tool: 'srv__echo', args: { text: 'x' } }] }

/** Runs the agent; the answer is the process of its server as soon as that was called. */
function start(host: RunningTeam): { readonly pid: Promise<number>; readonly done: Promise<unknown> } {
  const called = deferred<number>()
  const record = recordEvents()
  const done = host.run('A', 'x', {
    onEvent: (event) => {
      record.listener(event)
      const [pid] = record
        .of('tool-result')
        .flatMap(({ content }) => /process (\d+)/u.exec(JSON.stringify(content))?.[1] ?? [])
      if (pid !== undefined) called.resolve(Number(pid))
    },
  })
  return { pid: called.promise, done }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // there is no such process
    return false
  }
}

async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await settle()
}

describe('the MCP servers of a reloaded team', () => {
  it.each([
    { kind: 'fresh', rest: {} },
    { kind: 'pooled', rest: { acquire: { pool: 2 } } },
  ])('changed servers stop after the last run that uses them: $kind sessions', async ({ rest }) => {
    const clean = leakCheck()
    const gate = deferred()
    const model = scriptedModel([CALL, { text: 'old', wait: gate.promise }, CALL, { text: 'new' }])
    const host = await openTeam({ 'a.md': withServer('1', rest) }, { models: { m: model }, containment })
    const old = start(host)
    const oldPid = await old.pid
    await writeFile(join(host.path, 'a.md'), withServer('2', rest))
    expect((await host.reload()).outcome).toBe('taken')
    const next = start(host)
    const nextPid = await next.pid
    await next.done
    expect(nextPid).not.toBe(oldPid)
    expect(isAlive(oldPid)).toBe(true)
    gate.resolve()
    await old.done
    await gone(oldPid)
    expect(isAlive(nextPid)).toBe(true)
    await host.close()
    await clean.assertClean()
  })

  it('servers keep running if an edit does not change them, and stop at once if they are changed and unused', async () => {
    const model = scriptedModel([CALL, { text: 'one' }, CALL, { text: 'two' }])
    const host = await openTeam({ 'a.md': withServer('1') }, { models: { m: model }, containment })
    const first = start(host)
    await first.done
    await writeFile(join(host.path, 'a.md'), withServer('1', {}, 'Another prompt.'))
    expect((await host.reload()).outcome).toBe('taken')
    const second = start(host)
    await second.done
    const pid = await second.pid
    expect(pid).toBe(await first.pid)
    await writeFile(join(host.path, 'a.md'), card({ name: 'A', model: 'm' }))
    expect((await host.reload()).outcome).toBe('taken')
    await gone(pid)
  })
})
