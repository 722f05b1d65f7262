import { clearScreenDown, createInterface, cursorTo, moveCursor, type Interface } from 'node:readline'
import type { PromptLine } from '../reporter/reporter.ts'
import type { Output, Terminal } from '../terminal/terminal.ts'
import { hideTyping } from '../terminal/typing.ts'

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
   * Reads a message. A pasted text of several lines is one message; a line that ends with `\` continues on
   * the next one.
   */
  read(prompt: string): Promise<EditorInput>
  /** Reads an answer, which is not added to the history. */
  readonly ask: PromptLine
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
}

const HISTORY = 1000
const PASTE_ON = '\u001B[?2004h'
const PASTE_OFF = '\u001B[?2004l'
const CONTINUATION = '… '

/** State of the line that is being read. */
interface PendingLine {
  readonly isQuestion: boolean
  readonly prompt: string
  /** Earlier lines of the same message. */
  readonly parts: string[]
  settle(input: EditorInput): void
}

/** Creates a line editor on `node:readline`. */
export function createLineEditor(terminal: Terminal, options: LineEditorOptions): LineEditor {
  const { stdin, stderr } = terminal
  let pendingLine: PendingLine | undefined
  const lines = createInterface({
    input: stdin,
    output: createConditionalOutput(stderr, () => pendingLine !== undefined),
    terminal: true,
    history: [...options.history],
    historySize: HISTORY,
    removeHistoryDuplicates: true,
    completer: (line: string) => [options.complete(line), line],
  })
  const typedAhead: string[] = []
  let isPasting = false
  let isClosed = false

  const pauseInput = (): void => {
    lines.pause()
    stdin.setRawMode?.(false)
  }
  const onLine = (line: string): void => {
    if (pendingLine === undefined) return void typedAhead.push(line)
    const continues = !pendingLine.isQuestion && (isPasting || /(?:^|[^\\])(?:\\\\)*\\$/u.test(line))
    pendingLine.parts.push(continues && !isPasting ? line.slice(0, -1) : line)
    if (!continues) return pendingLine.settle({ kind: 'text', text: pendingLine.parts.join('\n') })
    lines.setPrompt(CONTINUATION)
    lines.prompt()
  }
  const onInterrupt = (): void => {
    if (pendingLine === undefined) return
    const isEmpty = lines.line === '' && pendingLine.parts.length === 0
    clearLine(lines)
    stderr.write('^C\n')
    if (pendingLine.isQuestion) return options.onInterrupt()
    if (isEmpty) return pendingLine.settle({ kind: 'interrupt' })
    pendingLine.parts.length = 0
    lines.setPrompt(pendingLine.prompt)
    lines.prompt()
  }
  const readLine = (
    prompt: string,
    { isQuestion, signal }: { readonly isQuestion: boolean; readonly signal: AbortSignal },
  ): Promise<EditorInput> => {
    if (isClosed || signal.aborted) return Promise.resolve({ kind: 'end' })
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
        parts: [],
        settle(input) {
          signal.removeEventListener('abort', onAbort)
          pendingLine = undefined
          if (!isClosed) {
            stderr.write(PASTE_OFF)
            pauseInput()
          }
          resolve(input)
        },
      }
      stdin.setRawMode?.(true)
      stderr.write(PASTE_ON)
      lines.setPrompt(prompt)
      // Keep what is already typed on the line.
      lines.prompt(true)
      submitTypedLines()
    })
  }
  /** Submits lines that were typed before the prompt was shown. */
  const submitTypedLines = (): void => {
    const line = pendingLine === undefined ? undefined : typedAhead.shift()
    if (line === undefined) return
    stderr.write(`${line}\n`)
    onLine(line)
    submitTypedLines()
  }
  stdin.on('keypress', (_text: unknown, key: { readonly name?: string } | undefined) => {
    if (key?.name === 'paste-start') isPasting = true
    if (key?.name === 'paste-end') isPasting = false
  })
  lines.on('line', onLine)
  lines.on('SIGINT', onInterrupt)
  lines.on('history', (history: string[]) => {
    if (pendingLine?.isQuestion === true) history.shift()
  })
  lines.on('close', () => {
    isClosed = true
    if (pendingLine === undefined) return
    stderr.write(`${PASTE_OFF}\n`)
    pendingLine.settle({ kind: 'end' })
  })
  pauseInput()
  const showTyping = hideTyping(stdin)
  return {
    read: (prompt) => readLine(prompt, { isQuestion: false, signal: options.signal }),
    async ask(text, signal) {
      const cut = text.lastIndexOf('\n') + 1
      stderr.write(text.slice(0, cut))
      const input = await readLine(text.slice(cut), { isQuestion: true, signal })
      return input.kind === 'text' ? input.text : undefined
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
      showTyping()
    },
  }
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
  lines.write(null, { ctrl: true, name: 'u' })
}
