import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import {
  childEnvironment,
  endProcessGroup,
  exitStatus,
  processGroup,
  spawnContained,
  type Containment,
  type GroupLedger,
  type GroupRecord,
  type ProcessGroup,
} from '@troupe/process'
import { errorMessage, troupeError, type Clock } from '@troupe/schema'
import type { PythonCallOptions } from '@troupe/tools'
import { createLineSplitter } from './json-lines.ts'
import {
  PROTOCOL,
  type BridgeAnswer,
  type BridgeMessage,
  type BridgeNotice,
  type BridgeRequest,
} from './protocol.ts'

const HELLO_MS = 10_000
/** Time (ms) that a cancelled function has to end. After that its process is killed. */
const CANCEL_GRACE_MS = 1000
const MAX_MESSAGE_BYTES = 33 * 1024 * 1024
const OUTPUT_TAIL = 8 * 1024
const OLDEST_PYTHON = [3, 10] as const
const BRIDGE = fileURLToPath(new URL('./bridge.py', import.meta.url))

/** Program, folder and variables of a bridge process. */
export interface BridgeTarget {
  readonly interpreter: string
  readonly cwd: string
  readonly baseEnv: Readonly<Record<string, string | undefined>>
  /** Variables in addition to the inherited ones. */
  readonly env: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly ledger?: GroupLedger | undefined
  containment(): Promise<Containment>
}

/** Callbacks of one request. */
type RequestHandlers = Pick<PythonCallOptions, 'log' | 'back'>

interface PendingRequest extends RequestHandlers {
  resolve(answer: BridgeAnswer): void
  reject(reason: Error): void
}

/** A cancelled request whose function may still run. */
interface CancelledRequest {
  readonly ended: Promise<void>
  end(): void
}

/**
 * A Python process that runs `bridge.py`. Ends with its process group when it is closed, when it breaks the
 * protocol, and when a cancelled function does not stop. Does not keep this process alive between requests.
 */
export class BridgeProcess {
  readonly #target: BridgeTarget
  readonly #pending = new Map<number, PendingRequest>()
  readonly #cancelled = new Map<number, CancelledRequest>()
  readonly #hello = Promise.withResolvers<Extract<BridgeMessage, { type: 'hello' }>>()
  #child: ChildProcessWithoutNullStreams | undefined
  #group: ProcessGroup | undefined
  #record: GroupRecord | undefined
  #output = ''
  #lastId = 0
  #end: string | undefined
  #closing: Promise<void> | undefined

  constructor(target: BridgeTarget) {
    this.#target = target
    this.#hello.promise.catch(() => undefined)
  }

  /** Reason that the process ended or is ending. `undefined` while it accepts requests. */
  get end(): string | undefined {
    return this.#end
  }

  /**
   * Starts the process and returns the path of its interpreter. Throws `python_unavailable` if there is no
   * suitable Python.
   */
  async start(): Promise<string> {
    const { interpreter, clock } = this.#target
    const containment = await this.#target.containment()
    if (this.#end !== undefined) throw this.#unavailable(this.#end)
    this.#spawn(containment)
    const cancel = clock.after(HELLO_MS, () => this.#stop(`did not answer within ${HELLO_MS} ms`))
    try {
      const { protocol, python, executable } = await this.#hello.promise
      const version = python.join('.')
      const [major = 0, minor = 0] = python
      if (major !== OLDEST_PYTHON[0] || minor < OLDEST_PYTHON[1])
        throw this.#unavailable(`is Python ${version}; Troupe needs ${OLDEST_PYTHON.join('.')} or later`)
      if (protocol !== PROTOCOL)
        throw this.#unavailable(`runs version ${protocol} of the bridge, not ${PROTOCOL}`)
      return executable === '' ? interpreter : executable
    } catch (thrown) {
      this.#stop('did not start')
      throw thrown
    } finally {
      cancel()
      this.#keepAlive()
    }
  }

  /**
   * Sends a request and waits for its answer. Rejects with `run_cancelled` as soon as `signal` aborts, and
   * with `tool_failed` if the process ends first.
   */
  request(
    message: BridgeRequest,
    { signal, ...handlers }: RequestHandlers & { readonly signal?: AbortSignal | undefined },
  ): Promise<BridgeAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<BridgeAnswer>()
    if (this.#end !== undefined) return Promise.reject(this.#lost())
    if (signal?.aborted === true) return Promise.reject(cancelledError())
    const id = (this.#lastId += 1)
    const onAbort = (): void => {
      this.#pending.delete(id)
      this.#cancel(id)
      reject(cancelledError())
    }
    const settle = (): void => {
      signal?.removeEventListener('abort', onAbort)
      this.#pending.delete(id)
      this.#keepAlive()
    }
    this.#pending.set(id, { ...handlers, resolve, reject })
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#keepAlive()
    this.#write({ ...message, id })
    return promise.finally(settle)
  }

  /** Sends a message that has no answer. Does nothing once the process has ended. */
  notify(message: BridgeNotice): void {
    if (this.#end === undefined) this.#write(message)
  }

  /** Resolves when no cancelled function is running any more, or the process is ending. */
  async settled(): Promise<void> {
    await Promise.all([...this.#cancelled.values()].map(({ ended }) => ended))
  }

  /** Ends the process and everything it started. Pending requests fail. Never rejects. */
  close(): Promise<void> {
    this.#stop('was stopped')
    return this.#closing ?? Promise.resolve()
  }

  /** Sends SIGKILL to the process group. */
  kill(): void {
    this.#group?.signal('SIGKILL')
  }

  #spawn(containment: Containment): void {
    const { interpreter: command, cwd, baseEnv, env } = this.#target
    const bridge = { PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }
    const program = { command, args: [BRIDGE], cwd, env: childEnvironment(baseEnv, { ...bridge, ...env }) }
    try {
      this.#child = spawnContained(program, containment)
    } catch (thrown) {
      throw this.#unavailable(`cannot be started: ${errorMessage(thrown)}`)
    }
    const { pid } = this.#child
    if (pid !== undefined) {
      this.#group = processGroup(pid)
      this.#record = this.#target.ledger?.record(pid)
    }
    this.#listen(this.#child, containment)
  }

  #listen(child: ChildProcessWithoutNullStreams, containment: Containment): void {
    child.on('error', (error) => this.#stop(`cannot be started: ${errorMessage(error)}`))
    // pipes break when the process ends, which its exit reports
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', ignoreError)
    const split = createLineSplitter((line) => this.#read(line), {
      maxBytes: MAX_MESSAGE_BYTES,
      onOversize: () => this.#stop(`sent more than ${MAX_MESSAGE_BYTES} bytes in one message`),
    })
    child.stdout.on('data', split)
    child.stderr.on('data', (chunk: Buffer) => {
      this.#output = `${this.#output}${chunk.toString('utf8')}`.slice(-OUTPUT_TAIL)
    })
    child.on('exit', (code, signal) => {
      const exit = exitStatus({ code, signal }, containment)
      // answers that were sent before the exit arrive first
      setImmediate(() => this.#stop(describeExit(exit, this.#output)))
    })
  }

  #read(line: string): void {
    let message: BridgeMessage
    try {
      message = JSON.parse(line) as BridgeMessage
    } catch {
      this.#stop('wrote something other than a message to the pipe of Troupe')
      return
    }
    switch (message.type) {
      case 'hello':
        this.#hello.resolve(message)
        return
      case 'log':
        this.#pending.get(message.id)?.log?.(message.text)
        return
      case 'back':
        void this.#answerBack(message)
        return
      case 'loaded':
      case 'done':
      case 'error':
      case 'cancelled':
        this.#cancelled.get(message.id)?.end()
        this.#pending.get(message.id)?.resolve(message)
    }
  }

  async #answerBack({ id, back, method, args }: Extract<BridgeMessage, { type: 'back' }>): Promise<void> {
    const answer = this.#pending.get(id)?.back
    if (answer === undefined) return
    try {
      this.notify({ type: 'back', id, back, value: await answer(method, args) })
    } catch (thrown) {
      this.notify({ type: 'back', id, back, error: errorMessage(thrown) })
    }
  }

  /** Asks Python to stop a call, and kills the process if the function does not end in time. */
  #cancel(id: number): void {
    if (this.#end !== undefined) return
    const stopWaiting = this.#target.clock.after(CANCEL_GRACE_MS, () =>
      this.#stop('was stopped, because a cancelled function did not end'),
    )
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const end = (): void => {
      stopWaiting()
      this.#cancelled.delete(id)
      this.#keepAlive()
      resolve()
    }
    this.#cancelled.set(id, { ended, end })
    this.notify({ type: 'cancel', id })
  }

  #write(message: object): void {
    this.#child?.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Keeps this process running while a request is pending or a cancelled function has to end. */
  #keepAlive(): void {
    const child = this.#child
    if (child === undefined || this.#closing !== undefined) return
    const change = this.#pending.size + this.#cancelled.size > 0 ? 'ref' : 'unref'
    child[change]()
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Partial<Socket>)[change]?.()
  }

  #stop(reason: string): void {
    if (this.#end !== undefined) return
    this.#end = reason
    this.#hello.reject(this.#unavailable(reason))
    for (const { reject } of this.#pending.values()) reject(this.#lost())
    for (const { end } of this.#cancelled.values()) end()
    this.#closing = this.#shutDown()
  }

  async #shutDown(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    if (this.#group !== undefined)
      await endProcessGroup(this.#group, { clock: this.#target.clock, endInput: () => child.stdin.end() })
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    if (this.#group?.alive() !== true) this.#record?.remove()
  }

  #lost(): Error {
    return troupeError('tool_failed', `The Python process ${this.#end ?? 'has ended'}.`)
  }

  #unavailable(what: string): Error {
    return troupeError('python_unavailable', `The Python interpreter ${this.#target.interpreter} ${what}.`)
  }
}

function describeExit(
  { code, signal }: { readonly code: number | null; readonly signal: string | null },
  output: string,
): string {
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  return last === '' ? how : `${how}; its last output: ${last.slice(0, 500)}`
}

function cancelledError(): Error {
  return troupeError('run_cancelled', 'The call was cancelled.')
}

function ignoreError(): void {
  // handled where the process ends
}
