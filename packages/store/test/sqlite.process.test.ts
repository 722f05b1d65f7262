import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { execPath, kill } from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { bundleForTests, type TestBundle } from '@troupe/tooling/bundle-for-tests'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openStore, openStoreFile } from './support/store-file.ts'

const KILLS = 5

let bundle: TestBundle | undefined
beforeAll(async () => {
  bundle = await bundleForTests(import.meta.dirname, { writer: 'support/writer-process.ts' })
})
afterAll(() => bundle?.remove())

interface Writing {
  readonly process: ChildProcess
  /** Returns the last `seq` that its listener received. */
  last(): number
  /** Resolves once its listener has received this `seq`. */
  tells(seq: number): Promise<void>
}

function startWriter(path: string, root: string, count?: number): Writing {
  const program = join(bundle?.folder ?? '', 'dist/writer.js')
  const args = [program, path, root, ...(count === undefined ? [] : [String(count)])]
  const child = spawn(execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  const last = (): number => Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1) ?? 0)
  child.stdout.on('data', (data) => {
    text += String(data)
  })
  return {
    process: child,
    last,
    async tells(seq) {
      while (last() < seq) await once(child.stdout, 'data')
    },
  }
}

const here = (pid: number) => ({
  writer: { token: `test ${pid}`, pid, host: hostname(), isAlive: isRunning },
})

function isRunning(pid: number): boolean {
  try {
    return kill(pid, 0)
  } catch {
    // there is no such process
    return false
  }
}

describe('processes that share a store', () => {
  it('processes that share a store lose no delivered event when they are killed, and leave the root run to the next one', async () => {
    const { path } = await openStoreFile()
    for (let round = 1; round <= KILLS; round += 1) {
      const writer = startWriter(path, `root ${round}`)
      await writer.tells(20 + Math.floor(Math.random() * 400))
      writer.process.kill('SIGKILL')
      await once(writer.process, 'close')
      const store = await openStore(path, here(1))
      const kept = await store.events(`root ${round}`)
      expect(kept.length).toBeGreaterThanOrEqual(writer.last())
      expect(kept.map((event) => event.seq)).toEqual(kept.map((_, index) => index + 1))
      // a step and its event are committed together
      expect((await store.steps(`root ${round}`, 'run')).size).toBe(kept.length)
      const log = await store.open(`root ${round}`, 'next')
      await log.close()
      await store.close()
    }
    const database = new DatabaseSync(path)
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    database.close()
  })

  it('processes that share a store write concurrently without an error or a lost event', async () => {
    const { store, path } = await openStoreFile(here(1))
    const writers = ['a', 'b', 'c', 'd'].map((root) => startWriter(path, root, 1500))
    const codes = await Promise.all(writers.map(({ process }) => once(process, 'close')))
    expect(codes.map(([code]) => code as number)).toEqual([0, 0, 0, 0])
    for (const root of ['a', 'b', 'c', 'd']) expect(await store.events(root)).toHaveLength(1500)
    expect((await store.roots()).map((root) => root.open)).toEqual([false, false, false, false])
  })

  it('processes that share a store cannot open a root run of a live process, but can read it', async () => {
    const { store, path } = await openStoreFile(here(1))
    const writer = startWriter(path, 'root')
    await writer.tells(10)
    await expect(async () => store.open('root', 'me')).rejects.toMatchObject({
      code: 'store_locked',
      message: `The run root is in use by process ${writer.process.pid} on ${hostname()}.`,
    })
    expect((await store.events('root')).length).toBeGreaterThanOrEqual(10)
  })
})
