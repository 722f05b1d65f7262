import { createInterface } from 'node:readline'
import type { ApprovalDecision, Approver, JsonObject } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { Reporter } from './reporter/reporter.ts'
import type { Terminal } from './terminal.ts'

/** Approves everything that asks (`--yes`). */
export const approveAll: Approver = () => ({ decision: 'approved', reason: '--yes' })

/** Asks the person at the terminal, one call after the other; anything but yes is a no. */
export function createApprover(terminal: Terminal, reporter: Reporter): Approver {
  let last: Promise<unknown> = Promise.resolve()
  return (request, signal) => {
    const question = callText(request, terminal)
    const next = last.then(() =>
      reporter.pause(() => undisturbed(terminal, () => ask(question, { terminal, signal }))),
    )
    last = next.catch(() => {
      // the asker of that call hears of it; the next question is asked all the same
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

/** The whole call, safe to print: what cannot be seen is written as an escape. */
function callText(
  request: {
    readonly instance: string
    readonly toolName: string
    readonly args: JsonObject
    readonly reason?: string
  },
  { style }: Terminal,
): string {
  const args = showInvisible(JSON.stringify(request.args, null, 2))
  const tool = style.bold(plainText(request.toolName))
  const why = request.reason === undefined ? '' : `${plainText(request.reason)}\n`
  return `${plainText(request.instance)} wants to call ${tool} with\n${plainText(args, { lines: true })}\n${why}`
}

function showInvisible(text: string): string {
  return text.replaceAll(
    /[\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

async function ask(
  question: string,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<ApprovalDecision> {
  if (signal.aborted) return { decision: 'denied', reason: 'the run no longer waits for it' }
  const answer = await readLine(`${question}Allow it? [y/N] `, { terminal, signal })
  if (answer === undefined) return { decision: 'denied', reason: 'nobody answered' }
  return /^\s*y(?:es)?\s*$/iu.test(answer)
    ? { decision: 'approved' }
    : { decision: 'denied', reason: 'the person at the terminal said no' }
}

/** One line of stdin, or undefined when it ends or the signal aborts first. The terminal keeps its own line editing, so that Ctrl-C stays a signal. */
function readLine(
  prompt: string,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<string | undefined> {
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
    lines.question(prompt, settle)
  })
}
