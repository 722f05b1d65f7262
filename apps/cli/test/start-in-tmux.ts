import { execFile, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { toNodeArgs } from './start-program.ts'

/** The program in a tmux window. */
export interface TmuxProgram {
  /** Presses a key, named as in tmux: `Enter`, `C-c`. */
  press(key: string): Promise<void>
  /** Types a text. */
  write(text: string): Promise<void>
  /** Types a line and its Enter. */
  say(line: string): Promise<void>
  /** Returns the visible lines, without empty ones at the end. */
  seen(): Promise<readonly string[]>
  /** Returns the visible lines and those scrolled off at the top. */
  all(): Promise<readonly string[]>
  /** Returns all bytes that the program has written so far. */
  bytes(): Promise<string>
  resize(columns: number, rows: number): Promise<void>
  /** Resolves when a line, visible or scrolled off, matches. */
  shows(line: RegExp): Promise<void>
  /** Resolves with the exit code. */
  ends(): Promise<number>
}

export const HAS_TMUX: boolean = spawnSync('tmux', ['-V']).status === 0

/** The end of the titles of tests that need tmux, if it is missing. */
export const TMUX_NOTE: string = HAS_TMUX ? '' : ' – NOT RUN: tmux is missing'

const WINDOW = 'program'
/** Long, because the machine may be busy. */
const POLL = { timeout: 60_000, interval: 30 }
let started = 0
const run = promisify(execFile)

/** Starts the program in a tmux of its own, which ends with the test. The window stays open when the program has ended. */
export async function startInTmux(
  args: readonly string[],
  cwd: string,
  { columns = 80, rows = 24 }: { readonly columns?: number; readonly rows?: number } = {},
): Promise<TmuxProgram> {
  started += 1
  const place = path.join(cwd, `tmux-${started}`)
  const [log, socket, status] = [`${place}.bytes`, `${place}.socket`, `${place}.status`]
  const env = { PATH: process.env['PATH'], HOME: cwd, SHELL: '/bin/sh', LANG: 'C.UTF-8' }
  const tmux = async (...words: readonly string[]): Promise<string> =>
    (await run('tmux', ['-S', socket, '-f', '/dev/null', ...words], { env, cwd })).stdout
  await writeFile(log, '')
  onTestFinished(() => void spawnSync('tmux', ['-S', socket, 'kill-server']))
  const program = [process.execPath, ...toNodeArgs(), ...args].map(quote).join(' ')
  // the shell survives Ctrl-C, so that it can record the exit code of the program
  const command = `trap : INT; ${program}; echo $? > ${quote(status)}`
  const options = ['set-option', '-g', 'remain-on-exit', 'on', ';']
  const window = ['new-session', '-d', '-s', WINDOW, '-x', `${columns}`, '-y', `${rows}`, command, ';']
  await tmux(...options, ...window, 'pipe-pane', '-t', WINDOW, `cat >> ${quote(log)}`)

  const lines = async (...words: readonly string[]): Promise<readonly string[]> => {
    const text = (await tmux('capture-pane', '-p', '-t', WINDOW, ...words)).split('\n')
    return text.slice(0, text.findLastIndex((line) => line !== '') + 1)
  }
  const all = (): Promise<readonly string[]> => lines('-S', '-')
  return {
    press: async (key) => void (await tmux('send-keys', '-t', WINDOW, key)),
    write: async (text) => void (await tmux('send-keys', '-t', WINDOW, '-l', text)),
    say: async (line) => void (await tmux('send-keys', '-t', WINDOW, '-l', line, ';', 'send-keys', 'Enter')),
    seen: () => lines(),
    all,
    bytes: () => readFile(log, 'utf8'),
    resize: async (width, height) =>
      void (await tmux('resize-window', '-t', WINDOW, '-x', `${width}`, '-y', `${height}`)),
    async shows(line) {
      const shown = async (): Promise<string> => (await all()).join('\n')
      await expect.poll(shown, POLL).toMatch(new RegExp(line.source, `${line.flags}m`))
    },
    async ends() {
      const ended = (): Promise<string> => readFile(status, 'utf8').catch(() => '')
      await expect.poll(ended, POLL).toMatch(/^\d+$/mu)
      return Number(await ended())
    },
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
