import { clearScreenDown, createInterface, cursorTo, emitKeypressEvents, moveCursor } from 'node:readline'
import type { Interface } from 'node:readline'
import { PassThrough } from 'node:stream'
import type { PromptLine } from '../reporter/reporter.ts'
import type { CommandContext } from '../terminal/context.ts'
import type { Output, Terminal } from '../terminal/terminal.ts'
import {
  hideTyping,
  toKey,
  type Key,
  type KeypressEvent,
  type KeyReader,
  type TypedAhead,
} from '../terminal/typing.ts'
import { createHistorySearch } from './history-search.ts'

/** Input of the user. `interrupt` is Ctrl-C on an empty line, `end` is Ctrl-D or a closed terminal. */
export type EditorInput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'end' }

/**
 * Line editor with a history. Between two lines Ctrl-C raises SIGINT, and typed characters are shown when the
 * next line is read.
 */
export interface LineEditor {
  /**
   * Reads a message. Pasted line breaks, Ctrl-J, and Enter after `\` start a new line of the same message.
   * Ctrl-R searches the history.
   */
  read(prompt: string): Promise<EditorInput>
  /** Reads an answer, which is not added to the history. */
  readonly ask: PromptLine
  /** Passes all keys to `fn`, until the returned function is called. Call it between two lines. */
  readKeys(fn: (key: Key) => void): () => void
  /**
   * Reads keys between two lines, while Ctrl-C and Ctrl-Z stay signals. Keys without a handler are typed ahead. Close
   * it before the next line.
   */
  openKeys(): KeyReader & TypedAhead
  /** Replaces the prompt of the line that is being read. */
  setPrompt(prompt: string): void
  /** Prints whole lines above the line that is being edited. */
  printAbove(text: string): void
  close(): void
}

interface LineEditorOptions {
  /** Earlier messages, newest first. */
  readonly history: readonly string[]
  /** Returns the completions of a line. */
  complete(line: string): readonly string[]
  /** Called on Ctrl-C while a question is open. */
  onInterrupt(): void
  /** Aborted when the program ends. */
  readonly signal: AbortSignal
  /** Calls `fn` when the program may read the terminal, and before it may not: {@link CommandContext}. */
  readonly watchForeground: CommandContext['watchForeground']
}

const HISTORY = 1000
const PASTE_ON = '\u001B[?2004h'
const PASTE_OFF = '\u001B[?2004l'

/** State of the line that is being read. */
interface PendingLine {
  readonly isQuestion: boolean
  prompt: string
  settle(input: EditorInput): void
}

/**
 * Creates a line editor on `node:readline`. It passes the keys on itself, so that some of them can have another
 * meaning.
 */
export function createLineEditor(terminal: Terminal, options: LineEditorOptions): LineEditor {
  const { stdin, stderr } = terminal
  let pendingLine: PendingLine | undefined
  let history: readonly string[] = options.history
  /** Index of the message that is shown from the history; -1 for the draft. */
  let shown = -1
  let draft = ''
  const keyHandlers: ((key: Key) => void)[] = []
  /** True between two lines while keys are read. */
  let isReadingKeys = false
  let onTyped = (): void => undefined
  let isRaw = false
  const setRaw = (mode: boolean): void => {
    isRaw = mode
    stdin.setRawMode?.(mode)
  }
  const keyboard = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => setRaw(mode),
  })
  const lines = createInterface({
    input: keyboard,
    output: createConditionalOutput(stderr, () => pendingLine !== undefined),
    terminal: true,
    // Versions of Node differ in how they store lines with line breaks.
    historySize: 0,
    completer: (line: string) => [options.complete(line), line],
  })
  const search = createHistorySearch({
    history: () => history,
    show: (prompt, line) => setLine(lines, { prompt: prompt ?? pendingLine?.prompt ?? '', line }),
  })
  /** Lines that were typed before their prompt was shown; `undefined` for Ctrl-D. */
  const typedAhead: (string | undefined)[] = []
  let isPasting = false
  let isClosed = false

  const pauseInput = (): void => {
    stdin.pause()
    setRaw(false)
  }
  const resumeInput = (): void => {
    setRaw(true)
    stdin.resume()
  }
  const onLine = (line: string): void => {
    if (pendingLine === undefined) return void typedAhead.push(line)
    if (!pendingLine.isQuestion && line !== '')
      history = [line, ...history.filter((entry) => entry !== line)].slice(0, HISTORY)
    shown = -1
    pendingLine.settle({ kind: 'text', text: line })
  }
  const showEntry = (index: number): void => {
    if (index < -1 || index >= history.length) return
    if (shown === -1) draft = lines.line
    shown = index
    setLine(lines, { prompt: pendingLine?.prompt ?? '', line: history[index] ?? draft })
  }
  /** Submits a message of several lines, which some versions of Node would change. */
  const submitLines = (): void => {
    const { line } = lines
    Object.assign(lines, { cursor: line.length })
    lines.prompt(true)
    if (pendingLine !== undefined) stderr.write('\n')
    Object.assign(lines, { line: '', cursor: 0, prevRows: 0 })
    onLine(line)
  }
  const onKeypress = (text: string | undefined, event: KeypressEvent = {}): void => {
    const { name, ctrl = false, meta = false } = event
    const keyHandler = keyHandlers.at(-1)
    if (keyHandler !== undefined) return keyHandler(toKey(text, event))
    if (name === 'paste-start' || name === 'paste-end') isPasting = name === 'paste-start'
    else if (pendingLine?.isQuestion === true) lines.write(text, event)
    else if (pendingLine === undefined && ctrl && name === 'd' && lines.line === '')
      typedAhead.push(undefined)
    else if (pendingLine !== undefined && (search.isOpen || (ctrl && name === 'r')))
      search.onKey(toKey(text, event), lines.line)
    else if (name === 'enter' || (name === 'return' && (isPasting || meta))) insert(lines, '\n')
    else if (name === 'return' && continuesLine(lines)) insert(lines, '\n', 1)
    else if (name === 'return' && lines.line.includes('\n')) submitLines()
    else if (name === 'up' || name === 'down') showEntry(shown + (name === 'up' ? 1 : -1))
    else lines.write(text, event)
    if (pendingLine === undefined) onTyped()
  }
  const onInterrupt = (): void => {
    if (pendingLine === undefined) return
    const isEmpty = lines.line === ''
    clearLine(lines)
    stderr.write('^C\n')
    if (pendingLine.isQuestion) return options.onInterrupt()
    if (isEmpty) return pendingLine.settle({ kind: 'interrupt' })
    lines.prompt()
  }
  const readLine = (
    prompt: string,
    { isQuestion, signal }: { readonly isQuestion: boolean; readonly signal: AbortSignal },
  ): Promise<EditorInput> => {
    if (isClosed || signal.aborted) return Promise.resolve({ kind: 'end' })
    const { line: kept, cursor } = lines
    const isQueued = !isQuestion && typedAhead.length > 0
    return new Promise((resolve) => {
      const onAbort = (): void => {
        clearLine(lines)
        stderr.write('\n')
        pendingLine?.settle({ kind: 'end' })
      }
      signal.addEventListener('abort', onAbort, { once: true })
      pendingLine = {
        isQuestion,
        prompt,
        settle(input) {
          signal.removeEventListener('abort', onAbort)
          pendingLine = undefined
          if (isQuestion || isQueued) Object.assign(lines, { line: kept, cursor })
          if (!isClosed) {
            stderr.write(PASTE_OFF)
            pauseInput()
          }
          resolve(input)
        },
      }
      resumeInput()
      stderr.write(PASTE_ON)
      lines.setPrompt(prompt)
      // A text that was typed before the question is not an answer to it.
      if (isQuestion || isQueued) Object.assign(lines, { line: '', cursor: 0 })
      Object.assign(lines, { prevRows: 0 })
      lines.prompt(true)
      if (isQueued) submitTypedLine()
    })
  }
  /** Submits the first line that was typed before the prompt was shown. */
  const submitTypedLine = (): void => {
    const line = typedAhead.shift()
    if (line === undefined) return lines.close()
    stderr.write(`${line}\n`)
    onLine(line)
  }
  emitKeypressEvents(stdin)
  stdin.on('keypress', onKeypress)
  stdin.on('end', () => lines.close())
  lines.on('line', onLine)
  lines.on('SIGINT', onInterrupt)
  lines.on('close', () => {
    isClosed = true
    if (pendingLine === undefined) return
    stderr.write(`${PASTE_OFF}\n`)
    pendingLine.settle({ kind: 'end' })
  })
  pauseInput()
  let showTyping: (() => void) | undefined = hideTyping(stdin)
  const restoreModes = (): void => {
    showTyping?.()
    showTyping = undefined
  }
  /** Hides typing after a stop. Raw mode is left meanwhile, because its end restores the modes of its start. */
  const hideAgain = (): void => {
    if (showTyping !== undefined) return
    const wasRaw = isRaw
    setRaw(false)
    showTyping = hideTyping(stdin)
    setRaw(wasRaw)
  }
  const unwatch = options.watchForeground((isForeground) => {
    if (isForeground) hideAgain()
    else restoreModes()
    if (!isReadingKeys) return
    if (isForeground) stdin.resume()
    else stdin.pause()
  })
  const addHandler = (fn: (key: Key) => void): (() => void) => {
    keyHandlers.push(fn)
    return () => void keyHandlers.splice(keyHandlers.indexOf(fn), 1)
  }
  return {
    read: (prompt) => readLine(prompt, { isQuestion: false, signal: options.signal }),
    async ask(text, signal) {
      const cut = text.lastIndexOf('\n') + 1
      stderr.write(text.slice(0, cut))
      const input = await readLine(text.slice(cut), { isQuestion: true, signal })
      return input.kind === 'text' ? input.text : undefined
    },
    readKeys(fn) {
      const release = addHandler(fn)
      resumeInput()
      return () => {
        release()
        pauseInput()
      }
    },
    openKeys() {
      isReadingKeys = true
      stdin.resume()
      return {
        onKey: addHandler,
        onEnd(fn) {
          stdin.on('end', fn)
          return () => void stdin.off('end', fn)
        },
        text: () => {
          const typed = typedAhead.flatMap((line) => (line === undefined ? [] : [line]))
          return [...typed, ...(lines.line === '' ? [] : [lines.line])].map((line) => `> ${line}`).join('\n')
        },
        onChange(fn) {
          onTyped = fn
        },
        close() {
          if (!isReadingKeys) return
          isReadingKeys = false
          onTyped = () => undefined
          stdin.pause()
        },
      }
    },
    setPrompt(prompt) {
      if (pendingLine === undefined || pendingLine.isQuestion) return
      pendingLine.prompt = prompt
      if (!search.isOpen) setLine(lines, { prompt, line: lines.line })
    },
    printAbove(text) {
      if (pendingLine === undefined) {
        stderr.write(text)
        return
      }
      const { rows } = lines.getCursorPos()
      moveCursor(stderr, 0, -rows)
      cursorTo(stderr, 0)
      clearScreenDown(stderr)
      // Reserve as many rows as the edited line had; `prompt` moves the cursor up by them.
      stderr.write(text + '\n'.repeat(rows))
      lines.prompt(true)
    },
    close() {
      lines.close()
      stdin.off('keypress', onKeypress)
      stdin.pause()
      stdin.setRawMode?.(false)
      unwatch()
      restoreModes()
    },
  }
}

/** Inserts a text at the cursor, in place of the last `replaced` characters. */
function insert(lines: Interface, text: string, replaced = 0): void {
  const { line, cursor } = lines
  const before = line.slice(0, cursor - replaced) + text
  Object.assign(lines, { line: before + line.slice(cursor), cursor: before.length })
  lines.prompt(true)
}

/** Shows a prompt and a line, with the cursor at its end. */
function setLine(
  lines: Interface,
  { prompt, line }: { readonly prompt: string; readonly line: string },
): void {
  lines.setPrompt(prompt)
  Object.assign(lines, { line, cursor: line.length })
  lines.prompt(true)
}

/** Returns true if the cursor is after a backslash that is not escaped itself. */
function continuesLine({ line, cursor }: Interface): boolean {
  return cursor === line.length && /(?:^|[^\\])(?:\\\\)*\\$/u.test(line)
}

/** Wraps an output so that writes are dropped while `isEnabled` returns false. */
function createConditionalOutput(output: Output, isEnabled: () => boolean): Output {
  const write = (text: string): boolean => !isEnabled() || output.write(text)
  return new Proxy(output, {
    get: (target, key) => (key === 'write' ? write : (Reflect.get(target, key) as unknown)),
  })
}

/** Clears the typed text, wherever the cursor is. */
function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'e' })
  Object.assign(lines, { line: '', cursor: 0 })
}
