import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import {
  endProcessGroup,
  exitStatus,
  processGroup,
  spawnContained,
  type Containment,
  type GroupLedger,
  type GroupRecord,
  type ProcessGroup,
} from '@troupe/process'
import { isJsonObject, troupeError, type Clock } from '@troupe/schema'
import { createLineReader, type LineReader } from './line-reader.ts'
import { createLossResponse, oversizeMessage, oversizeResponseId } from '../messages/loss-response.ts'
import type { StdioTarget } from '../target/server-target.ts'

const OUTPUT_GRACE_MS = 250
const SEND_TIMEOUT = 10_000
const JUNK_SHOWN = 200
/** In characters. */
const LARGE = 64 * 1024

/** A process that must end with the pool. Tracked until its process group has ended. */
export interface RunningProcess {
  close(): Promise<void>
  /** Sends SIGKILL to the process group. */
  kill(): void
}

/** Options of `StdioTransport`. */
interface StdioTransportOptions {
  readonly target: StdioTarget
  readonly clock: Clock
  /** Larger messages are dropped. */
  readonly maxMessageBytes: number
  /** Contains the transport while its process group is alive. */
  readonly running: Set<RunningProcess>
  /** Records the process group while it is alive. */
  readonly ledger?: GroupLedger | undefined
  /** Returns how to contain the server process with its child processes. */
  readonly containment: () => Promise<Containment>
  warn(text: string): void
}

/**
 * MCP over the stdio of a child process. Unlike the SDK's transport it ends the whole process group,
 * tolerates messages of any size and lines that are not messages, never blocks the server on stderr, and
 * passes on only the given environment. The SDK recognises a stdio transport by `pid` and `stderr`.
 */
export class StdioTransport implements Transport, RunningProcess {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage'] | undefined

  readonly #options: StdioTransportOptions
  readonly #stderr: OutputTail = createOutputTail()
  readonly #reader: LineReader
  readonly #deliver = orderedDelivery((message) => this.onmessage?.(message))
  #hasAnswered = false
  #child: ChildProcessWithoutNullStreams | undefined
  #group: ProcessGroup | undefined
  #record: GroupRecord | undefined
  #exit: string | undefined
  #outputOver = false
  #over = false
  #closing: Promise<void> | undefined
  #stopWaiting: (() => void) | undefined
  #junk = 0

  constructor(options: StdioTransportOptions) {
    this.#options = options
    this.#reader = createLineReader(
      {
        line: (text) => this.#readLine(text),
        oversize: (head, tail, excess) => this.#dropOversize({ head, tail, excess }),
      },
      { maxBytes: options.maxMessageBytes },
    )
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** The last 64 KiB of the server's stderr. */
  get stderr(): OutputTail {
    return this.#stderr
  }

  /**
   * Describes how the server ended, for example `exited with code 1`. `undefined` while it runs, or if it was
   * closed.
   */
  get exit(): string | undefined {
    return this.#exit
  }

  /** Number of output lines that were not messages. */
  get ignoredLines(): number {
    return this.#junk
  }

  /** Starts the process. Rejects with the error of `spawn`. */
  async start(): Promise<void> {
    const containment = await this.#options.containment()
    if (this.#closing !== undefined)
      throw troupeError('mcp_closed', `The MCP server "${this.#name}" has stopped.`)
    const child = spawnContained(this.#options.target, containment)
    this.#child = child
    this.#listen(child, containment)
    if (child.pid !== undefined) {
      this.#group = processGroup(child.pid)
      this.#options.running.add(this)
      this.#record = this.#options.ledger?.record(child.pid)
    }
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
  }

  /**
   * Sends a message. Rejects if the server has ended, leaves `maxMessageBytes` of input unread, or does not
   * read for 10 s.
   */
  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (this.#over || stdin?.writable !== true)
      return Promise.reject(troupeError('mcp_closed', `The MCP server "${this.#name}" has stopped.`))
    if (stdin.writableLength > this.#options.maxMessageBytes) return Promise.reject(this.#unread())
    return new Promise((resolve, reject) => {
      const isTaken = stdin.write(`${JSON.stringify(message)}\n`, () => stopWaiting())
      const cancel = isTaken
        ? undefined
        : this.#options.clock.after(SEND_TIMEOUT, () => reject(this.#unread()))
      // called when written or destroyed; the loss of the server fails the pending requests
      const stopWaiting = (): void => {
        cancel?.()
        resolve()
      }
      if (isTaken) resolve()
    })
  }

  /**
   * Ends the server process and all its child processes. Never rejects; all calls return the same promise.
   */
  close(): Promise<void> {
    this.#closing ??= Promise.resolve().then(() => this.#shutDown())
    return this.#closing
  }

  kill(): void {
    this.#group?.signal('SIGKILL')
  }

  #unread(): Error {
    return troupeError('mcp_failed', `The MCP server "${this.#name}" does not read its input.`)
  }

  get #name(): string {
    return this.#options.target.server
  }

  #listen(child: ChildProcessWithoutNullStreams, containment: Containment): void {
    const report = (error: Error): void => this.onerror?.(error)
    child.on('error', report)
    child.stdin.on('error', report)
    child.stdout.on('error', report)
    child.stderr.on('error', report)
    child.stdout.on('data', (chunk: Buffer) => this.#reader.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk))
    child.stdout.on('close', () => {
      this.#outputOver = true
      this.#maybeOver()
    })
    child.on('exit', (...exit) => {
      const { code, signal } = exitStatus({ code: exit[0], signal: exit[1] }, containment)
      if (this.#closing === undefined)
        this.#exit = signal === null ? `exited with code ${code}` : `was terminated by ${signal}`
      this.#maybeOver()
    })
  }

  /**
   * Waits for both the exit and the end of the output, which come in any order. Uses a timeout, because a
   * remaining child process may keep the output open.
   */
  #maybeOver(): void {
    if (this.#closing !== undefined) return
    this.#stopWaiting?.()
    if (this.#outputOver && this.#exit !== undefined) this.#ended()
    else this.#stopWaiting = this.#options.clock.after(OUTPUT_GRACE_MS, () => this.#ended())
  }

  #ended(): void {
    this.#reader.end()
    // deliver the last output before closing
    setImmediate(() => void this.close())
  }

  async #shutDown(): Promise<void> {
    this.#over = true
    this.#stopWaiting?.()
    this.onclose?.()
    const child = this.#child
    if (child === undefined) return
    if (this.#group !== undefined)
      await endProcessGroup(this.#group, { clock: this.#options.clock, endInput: () => child.stdin.end() })
    child.stdin.destroy()
    child.stdout.destroy()
    child.stderr.destroy()
    if (this.#group?.alive() !== true) this.#record?.remove()
    this.#options.running.delete(this)
  }

  #readLine(line: string): void {
    if (line.trim() === '') return
    const messages = parseMessages(line)
    if (messages === undefined) {
      this.#countJunk(line)
      return
    }
    // by now a runner such as npx has started the actual server
    if (!this.#hasAnswered) this.#record?.refresh()
    this.#hasAnswered = true
    for (const message of messages) this.#deliver(message, { isLarge: line.length > LARGE })
  }

  #countJunk(line: string): void {
    this.#junk += 1
    if (this.#junk > 1) return
    const start = line.length > JUNK_SHOWN ? `${line.slice(0, JUNK_SHOWN)}…` : line
    this.#options.warn(
      `The MCP server "${this.#name}" writes lines to its output that are not messages; they are ignored. The first: ${JSON.stringify(start)}`,
    )
  }

  #dropOversize({
    head,
    tail,
    excess,
  }: {
    readonly head: string
    readonly tail: string
    readonly excess: string
  }): void {
    const message = oversizeMessage(excess)
    const id = oversizeResponseId(head, tail)
    if (id === undefined) this.#options.warn(`The MCP server "${this.#name}": ${message}`)
    else this.#deliver(createLossResponse(id, { code: 'mcp_oversize', message }))
  }
}

/** Parses a line into one message or a batch of the older protocol. Returns `undefined` for anything else. */
function parseMessages(line: string): readonly JSONRPCMessage[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    // not JSON: the caller counts the line as junk
    return undefined
  }
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value]
  return messages.every(isMessage) ? messages : undefined
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return isJsonObject(value) && value['jsonrpc'] === '2.0'
}

const CAPACITY = 64 * 1024

/** The end of a server's stderr. Reads everything, so that the server never blocks on writing. */
interface OutputTail {
  push(chunk: Buffer): void
  /**
   * Returns the last `bytes` as trimmed text. Starts at a line break if possible, because half a secret would
   * not be redacted.
   */
  text(bytes: number): string
}

/** Creates an empty buffer that holds at least the last 64 KiB. */
export function createOutputTail(): OutputTail {
  let chunks: Buffer[] = []
  let size = 0

  function compact(): Buffer {
    const kept = Buffer.from(Buffer.concat(chunks, size).subarray(-CAPACITY))
    chunks = [kept]
    size = kept.length
    return kept
  }

  return {
    push(chunk) {
      chunks.push(chunk)
      size += chunk.length
      if (size > 2 * CAPACITY) compact()
    },
    text: (bytes) => wholeLines(compact(), bytes).toString('utf8').trim(),
  }
}

function wholeLines(output: Buffer, bytes: number): Buffer {
  if (output.length <= bytes) return output
  const tail = output.subarray(-bytes)
  const lineEnd = tail.indexOf('\n')
  return tail.subarray(lineEnd + 1)
}

/**
 * Delivers messages in order and pauses for a microtask after each notification. The SDK handles
 * notifications asynchronously and drops the progress handler with the response, so the last progress would
 * be lost otherwise. A large message is delivered in the next turn of the event loop, so that other work can
 * run after parsing.
 */
export function orderedDelivery(
  deliver: (message: JSONRPCMessage) => void,
): (message: JSONRPCMessage, options?: { readonly isLarge: boolean }) => void {
  const waiting: JSONRPCMessage[] = []
  let paused = false

  function pass(message: JSONRPCMessage): void {
    deliver(message)
    if ('id' in message) return
    paused = true
    queueMicrotask(resume)
  }

  function resume(): void {
    paused = false
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      pass(next)
      if (paused) return
    }
  }

  return (message, options) => {
    if (options?.isLarge === true && !paused) {
      paused = true
      setImmediate(resume)
    }
    if (paused) waiting.push(message)
    else pass(message)
  }
}
