import { PassThrough, Readable } from 'node:stream'
import { fakeClock, type FakeClock } from '@troupe/testkit/internal'
import type { CommandContext } from '../src/terminal/context.ts'
import { createInterrupts, createStop } from '../src/terminal/stop.ts'
import { createTerminal } from '../src/terminal/terminal.ts'

/** A command context without a process, which records its output. */
export interface TestContext extends CommandContext {
  readonly clock: FakeClock
  readonly out: () => string
  readonly err: () => string
  /** Types at the terminal. */
  readonly type: (text: string) => void
  readonly leave: () => void
  /** Addresses that were opened. */
  readonly opened: readonly string[]
}

export interface TestContextOptions {
  readonly cwd?: string
  /** Without it there is no store. */
  readonly home?: string
  readonly env?: Readonly<Record<string, string>>
  /** The text of stdin if it is not a terminal. Default: empty. */
  readonly input?: string
  /** True if all three streams are terminals. */
  readonly tty?: boolean
  readonly columns?: number
  readonly rows?: number
}

export function testContext(options: TestContextOptions = {}): TestContext {
  const { cwd = '/', env = {}, tty = false, columns = 80, rows = 24 } = options
  const size = tty ? { isTTY: true, columns, rows } : {}
  const stdout = Object.assign(new PassThrough(), size)
  const stderr = Object.assign(new PassThrough(), size)
  const keyboard = Object.assign(new PassThrough(), { isTTY: true })
  const stdin = tty ? keyboard : Readable.from([options.input ?? ''])
  const leaving = new Set<() => void>()
  const opened: string[] = []
  return {
    env,
    nodeVersion: '24.0.0',
    cwd,
    ...(options.home === undefined ? {} : { home: options.home }),
    terminal: createTerminal({ stdin, stdout, stderr }, { env }),
    captureStdout: () => stdout,
    clock: fakeClock(),
    identity: { pid: 1, host: 'here', isAlive: () => true },
    stop: createStop(),
    interrupts: createInterrupts(),
    beforeCardCode: () => undefined,
    atExit(fn) {
      leaving.add(fn)
      return () => leaving.delete(fn)
    },
    openUrl: (url) => {
      opened.push(url)
      return Promise.resolve()
    },
    opened,
    watchForeground: (fn) => {
      fn(true)
      return () => undefined
    },
    out: keep(stdout),
    err: keep(stderr),
    type: (text) => void keyboard.write(text),
    leave: () => {
      for (const fn of leaving) fn()
    },
  }
}

function keep(stream: PassThrough): () => string {
  let text = ''
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
  })
  return () => {
    for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) {
      // reading delivers what is buffered to the listener above
    }
    return text
  }
}
