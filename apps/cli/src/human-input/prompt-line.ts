import { createInterface } from 'node:readline'
import { plainText } from '@troupe/timeline'
import type { Reporter } from '../reporter/reporter.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Prints a text and reads one line. Resolves with `undefined` if the signal aborts or the input ends. */
export type PromptLine = (text: string, signal: AbortSignal) => Promise<string | undefined>

/**
 * Creates a prompt that asks one question at a time. Output of the run and its functions is held back
 * meanwhile.
 */
export function createPromptLine(
  terminal: Terminal,
  reporter: Reporter,
  readLine: PromptLine = (text, signal) => readPlainLine(text, { terminal, signal }),
): PromptLine {
  let last: Promise<unknown> = Promise.resolve()
  return (text, signal) => {
    const next = last.then(() =>
      reporter.pause(() => withBufferedNotes(terminal, () => readLine(text, signal))),
    )
    last = next.catch(() => {
      // The caller handles the error; the next question must not fail with it.
    })
    return next
  }
}

/** Holds back notes until the work is done. */
async function withBufferedNotes<T>({ notes }: Terminal, work: () => Promise<T>): Promise<T> {
  const bufferedNotes: string[] = []
  const release = notes.divert((text) => bufferedNotes.push(text))
  try {
    return await work()
  } finally {
    release()
    for (const text of bufferedNotes) notes.stream.write(text)
  }
}

/** Reads a line with the terminal's own line editing, so that Ctrl-C stays a signal. */
function readPlainLine(
  text: string,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const lines = createInterface({ input: terminal.stdin, output: terminal.stderr, terminal: false })
    const settle = (answer: string | undefined): void => {
      signal.removeEventListener('abort', onAbort)
      // Closing calls `settle` again, which has no effect then.
      resolve(answer)
      lines.close()
    }
    const onAbort = (): void => {
      terminal.stderr.write('\n')
      settle(undefined)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    lines.once('close', () => settle(undefined))
    lines.question(text, settle)
  })
}

/** Escapes invisible characters in untrusted text, and makes its lines safe to print. */
export function showInvisible(text: string): string {
  const seen = text.replaceAll(
    /[\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
  return plainText(seen, { lines: true })
}
