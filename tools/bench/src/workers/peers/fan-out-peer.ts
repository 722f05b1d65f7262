import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import { startProcess } from '../start-process.ts'

/** Prefix of the texts with which the children of a peer answer. */
export const ANSWER = 'Good morning, '

/** Runs that each worker process of a peer executes at a time, as many as `troupe worker` does. */
export const SLOTS = 16

/** Text that the worker process of a peer prints to stderr when it takes work. */
export const READY = 'peer is ready'

/** A fan-out that is written directly on a queue or an engine. */
export interface FanOutPeer {
  readonly name: string
  /** Starts a worker process. */
  startWorker(): Promise<ChildProcess>
  /** Runs a parent with `count` children. Resolves with the answers in the order of the calls. */
  fanOut(count: number): Promise<readonly string[]>
  close(): Promise<void>
}

/** Starts a worker process of a peer. */
export function startPeerWorker(program: string, url: string): Promise<ChildProcess> {
  return startProcess({
    args: ['--no-deprecation', '--conditions=@troupe/source', path.join(import.meta.dirname, program), url],
    cwd: import.meta.dirname,
    readyText: READY,
  })
}
