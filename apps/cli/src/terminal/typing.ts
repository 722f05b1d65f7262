import { spawnSync } from 'node:child_process'
import { emitKeypressEvents } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import type { CommandContext } from './context.ts'
import type { Input } from './terminal.ts'

/** A pressed key. */
export interface Key {
  /** The typed text; empty for keys such as arrows. */
  readonly text: string
  /** Name of the key as in `node:readline`, such as `return`; empty for most characters. */
  readonly name: string
  readonly ctrl: boolean
}

/** Keys that are pressed while a program draws. They are not echoed. Ctrl-C and Ctrl-Z still raise signals. */
export interface KeyReader {
  /** Passes keys to `fn` until the returned function is called. Only the handler added last gets them. */
  onKey(fn: (key: Key) => void): () => void
  /** Calls `fn` when the terminal is closed, until the returned function is called. */
  onEnd(fn: () => void): () => void
  /** Restores the terminal. */
  close(): void
}

/** Text that is typed while a program draws, for a prompt that is shown later. */
export interface TypedAhead {
  /** Returns the text, with its prompts; empty if nothing is typed. */
  text(): string
  /** Calls `fn` after each change. */
  onChange(fn: () => void): void
}

const HIDE_CURSOR = '\u001B[?25l'
const SHOW_CURSOR = '\u001B[?25h'

/** Opens the keys of the terminal; `undefined` if the user cannot be asked. Keys are read in the foreground only. */
export function openKeys({
  terminal,
  watchForeground,
  atExit,
}: Pick<CommandContext, 'terminal' | 'watchForeground' | 'atExit'>): KeyReader | undefined {
  const { stdin, interactive } = terminal
  if (!interactive) return undefined
  const handlers: ((key: Key) => void)[] = []
  const onKeypress = (text: string | undefined, key: KeypressEvent = {}): void => {
    handlers.at(-1)?.(toKey(text, key))
  }
  let showTyping: (() => void) | undefined
  const release = (): void => {
    if (showTyping === undefined) return
    stdin.off('keypress', onKeypress)
    stdin.pause()
    terminal.stderr.write(SHOW_CURSOR)
    showTyping()
    showTyping = undefined
  }
  let isResumed = false
  const unwatch = watchForeground((isForeground) => {
    if (!isForeground) return release()
    if (showTyping !== undefined) return
    showTyping = hideTyping(stdin)
    if (isResumed) terminal.stderr.write(HIDE_CURSOR)
    isResumed = true
    emitKeypressEvents(stdin)
    stdin.on('keypress', onKeypress)
    stdin.resume()
  })
  const forget = atExit(release)
  return {
    onKey(fn) {
      handlers.push(fn)
      return () => void handlers.splice(handlers.indexOf(fn), 1)
    },
    onEnd(fn) {
      stdin.on('end', fn)
      return () => void stdin.off('end', fn)
    },
    close() {
      unwatch()
      forget()
      release()
    },
  }
}

/**
 * Reads everything that has been typed until now, so that it cannot be the answer to a question that is shown next.
 * Handlers of keys get it; without one it is lost.
 */
export async function readTyped(stdin: Input): Promise<void> {
  if (stdin.isTTY !== true) return
  const isPaused = stdin.isPaused()
  const ignore = (): void => undefined
  stdin.on('data', ignore)
  stdin.resume()
  // Input is read between two immediates. The first one may be due before that.
  await setImmediate()
  await setImmediate()
  stdin.off('data', ignore)
  if (isPaused) stdin.pause()
}

/** Second argument of a `keypress` event. */
export interface KeypressEvent {
  readonly name?: string
  readonly ctrl?: boolean
  readonly meta?: boolean
}

export function toKey(
  text: string | undefined,
  { name = '', ctrl = false, meta = false }: KeypressEvent,
): Key {
  const isText = text !== undefined && !ctrl && !meta && !/\p{Cc}/u.test(text)
  return { text: isText ? text : '', name, ctrl }
}

/**
 * Turns off echo and canonical mode of a terminal while no line is being read. Typed keys stay in the input,
 * also after Ctrl-C; canonical mode would lose a Ctrl-D in them. Signal keys still work. Node has no API for
 * this; without `stty`, such as on Windows, terminals only echo while a program reads. Enter stays different
 * from Ctrl-J. Returns a function that turns the modes on again.
 */
export function hideTyping(stdin: Input): () => void {
  const { fd } = stdin
  if (stdin.isTTY !== true || fd === undefined) return () => undefined
  setModes(fd, ['-echo', '-icanon', '-icrnl', 'noflsh'])
  return () => setModes(fd, ['echo', 'icanon', 'icrnl', '-noflsh'])
}

function setModes(fd: number, modes: readonly string[]): void {
  // If this fails, the terminal echoes as before.
  spawnSync('stty', [...modes], { stdio: [fd, 'ignore', 'ignore'] })
}
