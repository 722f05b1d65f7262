import { createInterface } from 'node:readline'
import type { Reporter } from '../reporter/reporter.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Shows a text and reads one line, one question after the other. Undefined: the signal aborted first, or there is no more input. */
export type PromptLine = (text: string, signal: AbortSignal) => Promise<string | undefined>

/** Prompts at the terminal; what the run and its functions print waits meanwhile. */
export function createPromptLine(
  terminal: Terminal,
  reporter: Reporter,
  readLine: PromptLine = (text, signal) => readPlainLine(text, { terminal, signal }),
): PromptLine {
  let last: Promise<unknown> = Promise.resolve()
  return (text, signal) => {
    const next = last.then(() => reporter.pause(() => undisturbed(terminal, () => readLine(text, signal))))
    last = next.catch(() => {
      // the asker of that line hears of it; the next question is asked all the same
    })
    return next
  }
}

/** Keeps what functions print until the work is done. */
async function undisturbed<T>({ notes }: Terminal, work: () => Promise<T>): Promise<T> {
  const held: string[] = []
  const release = notes.divert((text) => held.push(text))
  try {
    return await work()
  } finally {
    release()
    for (const text of held) notes.stream.write(text)
  }
}

/** The terminal keeps its own line editing, so that Ctrl-C stays a signal. */
function readPlainLine(
  text: string,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const lines = createInterface({ input: terminal.stdin, output: terminal.stderr, terminal: false })
    const settle = (answer: string | undefined): void => {
      signal.removeEventListener('abort', onAbort)
      // closing settles again, which then changes nothing
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
