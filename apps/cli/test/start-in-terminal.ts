import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { createScreen, type Screen } from './screen.ts'
import { toNodeArgs } from './start-program.ts'

/** The program in a process of its own whose three streams are one real terminal device, with the contents of its screen. */
export interface TerminalProgram {
  readonly screen: Screen
  /** Returns all bytes so far. */
  readonly bytes: () => string
  type(text: string): void
  /** Resolves when a line of the screen matches. */
  shows(line: RegExp): Promise<void>
  ends(): Promise<number | null>
}

/** True if a terminal device is available: from `script` of util-linux, because Node cannot open one without native code. */
export const HAS_TERMINAL: boolean = spawnSync('script', ['--version'], {
  encoding: 'utf8',
}).stdout?.includes('util-linux')

/** The end of the titles of tests that need a terminal, if there is none. */
export const TERMINAL_NOTE: string = HAS_TERMINAL ? '' : ' – NOT RUN: util-linux `script` is missing'

export function startInTerminal(
  args: readonly string[],
  cwd: string,
  {
    columns = 80,
    rows = 24,
    env = {},
    onShown = () => undefined,
  }: {
    readonly columns?: number
    readonly rows?: number
    readonly env?: Readonly<Record<string, string>>
    /** Called whenever the screen has changed. */
    readonly onShown?: (screen: Screen) => void
  } = {},
): TerminalProgram {
  const command = [process.execPath, ...toNodeArgs(), ...args].map(quote).join(' ')
  const child = spawn(
    'script',
    ['-qefc', `stty cols ${columns} rows ${rows}; exec ${command}`, '/dev/null'],
    {
      cwd,
      env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => {
    if (child.exitCode === null) child.kill('SIGKILL')
  })
  child.stdin.on('error', () => {
    // input that is typed while the program ends is lost
  })
  const screen = createScreen({ columns, rows })
  let bytes = ''
  let shown = Promise.resolve()
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    bytes += chunk
    shown = shown.then(() => screen.write(chunk)).then(() => onShown(screen))
  })
  return {
    screen,
    bytes: () => bytes,
    type: (text) => void child.stdin.write(text),
    async shows(line) {
      for (;;) {
        const seen = shown
        await seen
        if (screen.all().some((text) => line.test(text))) return
        if (seen === shown) await once(child.stdout, 'data')
      }
    },
    async ends() {
      if (child.exitCode === null) await once(child, 'close')
      await shown
      return child.exitCode
    },
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
