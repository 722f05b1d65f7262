import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempProject } from '@troupe/testkit/internal'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGroupLedger } from '../src/index.ts'

async function folder(): Promise<string> {
  const project = await tempProject({})
  onTestFinished(() => project.remove())
  return join(project.path, 'state', 'processes')
}

async function sleeper(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  onTestFinished(() => void child.kill('SIGKILL'))
  return child as ChildProcess & { readonly pid: number }
}

/** Changes a note in the way another program would. */
async function changeNote(path: string, pid: number, change: object): Promise<void> {
  const file = join(path, `${pid}.json`)
  const note = JSON.parse(await readFile(file, 'utf8')) as object
  await writeFile(file, JSON.stringify({ ...note, ...change }))
}

const DEAD_OWNER = { owner: { pid: 2 ** 22 + 1, start: 1 } }

describe('the process group ledger', () => {
  it('the process group ledger keeps one private file for each running group', async () => {
    const path = await folder()
    const ledger = createGroupLedger(path)
    const { pid } = await sleeper()
    const record = ledger.record(pid)
    expect(await readdir(path)).toEqual([`${pid}.json`])
    expect((await stat(join(path, `${pid}.json`))).mode & 0o777).toBe(0o600)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    record.remove()
    expect(await readdir(path)).toEqual([])
  })

  it('the process group ledger ignores groups of a program that is alive', async () => {
    const path = await folder()
    const { pid, exitCode, signalCode } = await sleeper()
    createGroupLedger(path).record(pid)
    expect(createGroupLedger(path).sweep()).toBe(0)
    expect([exitCode, signalCode]).toEqual([null, null])
    expect(await readdir(path)).toHaveLength(1)
  })

  it('the process group ledger ends groups left behind by a program that has exited', async () => {
    const path = await folder()
    const child = await sleeper()
    const gone = once(child, 'exit')
    createGroupLedger(path).record(child.pid)
    await changeNote(path, child.pid, DEAD_OWNER)
    expect(createGroupLedger(path).sweep()).toBe(1)
    expect(await gone).toEqual([null, 'SIGKILL'])
    expect(await readdir(path)).toEqual([])
  })

  it.each([
    ['started at another time', (pid: number) => ({ ...DEAD_OWNER, members: [{ pid, start: 1 }] })],
    ['is in another group', (pid: number) => ({ ...DEAD_OWNER, group: pid + 1 })],
    ['ran before the machine was started again', () => ({ ...DEAD_OWNER, boot: 'another' })],
  ])('the process group ledger spares a process that only has the same id: it %s', async (_why, change) => {
    const path = await folder()
    const child = await sleeper()
    createGroupLedger(path).record(child.pid)
    await changeNote(path, child.pid, change(child.pid))
    expect(createGroupLedger(path).sweep()).toBe(0)
    expect(child.signalCode).toBeNull()
    expect(child.kill(0)).toBe(true)
    expect(await readdir(path)).toEqual([])
  })

  it('the process group ledger ignores unrelated files and a path that is not a folder', async () => {
    const path = await folder()
    const { pid } = await sleeper()
    createGroupLedger(path).record(pid)
    for (const [name, text] of [
      ['1.json', 'half a no'],
      ['2.json', '{"group":-1,"members":[]}'],
      ['x.txt', ''],
    ] as const)
      await writeFile(join(path, name), text)
    expect(createGroupLedger(path).sweep()).toBe(0)
    expect((await readdir(path)).toSorted()).toEqual([`${pid}.json`, 'x.txt'].toSorted())
    const nowhere = createGroupLedger(join(path, 'x.txt', 'below'))
    expect(nowhere.sweep()).toBe(0)
    nowhere.record(pid).remove()
  })
})
