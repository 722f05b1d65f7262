import { createInterface } from 'node:readline'
import type { Host } from '@troupe/host'
import {
  matchChoice,
  type RunOptions,
  type ApprovalDecision,
  type Approver,
  type JsonObject,
  type Asker,
  type Json,
  type PersonAnswer,
  type WriteTarget,
} from '@troupe/schema'
import { callLines, describeCall, plainText, visibleText } from '@troupe/timeline'
import type { PromptLine, Reporter } from '../reporter/reporter.ts'
import type { Terminal, Style } from '../terminal/terminal.ts'
import { readTyped } from '../terminal/typing.ts'
import { formFields, type TerminalFormField } from '../input/form.ts'

/**
 * Returns the approver and asker of a run: the user at the terminal, or `--yes`. Without either, approvals
 * are denied and questions stay unanswered.
 */
export function terminalHumanInput(
  terminal: Terminal,
  {
    yes = false,
    reporter,
    readLine,
    writeTarget,
  }: {
    readonly yes?: boolean | undefined
    readonly reporter: Reporter
    /** Reads a line. Default: directly from stdin. */
    readonly readLine?: PromptLine | undefined
    /** Reads the file that a call writes. Default: calls are shown without the present content of their files. */
    readonly writeTarget?: Host['writeTarget'] | undefined
  },
): Pick<RunOptions, 'approve' | 'ask'> {
  if (!terminal.interactive) return yes ? { approve: approveAll } : {}
  const promptLine = createPromptLine(terminal, reporter, readLine)
  return {
    approve: yes ? approveAll : createApprover(promptLine, { style: terminal.style, writeTarget }),
    ask: createAsker(promptLine, terminal.style),
  }
}

/** Approves every request (`--yes`). */
const approveAll: Approver = () => ({ decision: 'approved', reason: '--yes' })

/**
 * Creates an approver that asks at the terminal: allow this call, this conversation or always. Any other
 * answer denies the call.
 */
function createApprover(
  promptLine: PromptLine,
  { style, writeTarget }: { readonly style: Style; readonly writeTarget?: Host['writeTarget'] | undefined },
): Approver {
  return async (request, signal) => {
    const file = await writeTarget?.(request)
    const answer = await promptLine(`${callText(request, { style, file })}${questionOf(request)} `, signal)
    if (answer === undefined)
      return {
        decision: 'denied',
        reason: signal.aborted ? 'the approval is no longer pending' : 'no answer at the terminal',
      }
    return { ...decisionOf(answer.trim().toLowerCase()), by: { via: 'terminal' } }
  }
}

/** Returns the question. A hook's request is asked every time, so it cannot be allowed for longer. */
function questionOf({ reason }: { readonly reason?: string }): string {
  return reason === undefined ? 'Allow it? [y/N] (s: in this session, a: always)' : 'Allow it? [y/N]'
}

function decisionOf(answer: string): ApprovalDecision {
  if (answer === 'y' || answer === 'yes') return { decision: 'approved' }
  if (answer === 's' || answer === 'session') return { decision: 'approved', remember: 'session' }
  if (answer === 'a' || answer === 'always') return { decision: 'approved', remember: 'always' }
  return { decision: 'denied', reason: 'denied at the terminal' }
}

/** Returns the whole call as text: its arguments as a command line, a diff, or lines, and the reason. */
function callText(
  request: {
    readonly instance: string
    readonly toolName: string
    readonly args: JsonObject
    readonly reason?: string
  },
  { style, file }: { readonly style: Style; readonly file: WriteTarget | undefined },
): string {
  const target = file === undefined ? undefined : { file }
  const call = callLines(describeCall(request.toolName, request.args, target)).map((line) => `${line}\n`)
  const tool = style.bold(plainText(request.toolName))
  const why = request.reason === undefined ? '' : `${plainText(request.reason)}\n`
  return `${plainText(request.instance)} wants to call ${tool} with\n${call.join('')}${why}`
}

/**
 * Creates an asker for the terminal. With choices, accepts a number or the text of a choice and repeats the
 * question otherwise.
 */
function createAsker(promptLine: PromptLine, style: Style): Asker {
  return async ({ instance, question, choices = [], form }, signal) => {
    if (form !== undefined) {
      const head = `${style.bold(plainText(instance))} asks: ${showInvisible(question)}\n`
      return askForm(form, { head, promptLine }, signal)
    }
    const list = choices.map((choice, index) => `  ${index + 1}) ${showInvisible(choice)}\n`).join('')
    const head = `${style.bold(plainText(instance))} asks: ${showInvisible(question)}\n${list}`
    for (let text = `${head}> `; ; text = `Enter 1 to ${choices.length}: `) {
      const answer = await promptLine(text, signal)
      if (answer === undefined) return { answered: false, reason: 'no answer at the terminal' }
      const choice = matchChoice({ question, choices }, answer)
      if (choice !== undefined) return { answered: true, text: choice }
    }
  }
}

/** Asks for each field of a form in turn. `head` is printed first. An empty line takes the default. */
async function askForm(
  form: JsonObject,
  { head, promptLine }: { readonly head: string; readonly promptLine: PromptLine },
  signal: AbortSignal,
): Promise<PersonAnswer> {
  const values: Record<string, Json> = {}
  for (const [index, field] of formFields(form).entries()) {
    const answer = await askField(field, { head: index === 0 ? head : '', promptLine }, signal)
    if (answer === undefined) return { answered: false, reason: 'no answer at the terminal' }
    if (answer !== 'none')
      Object.defineProperty(values, field.name, { value: answer.value, enumerable: true })
  }
  return { answered: true, text: JSON.stringify(values), values }
}

async function askField(
  field: TerminalFormField,
  { head, promptLine }: { readonly head: string; readonly promptLine: PromptLine },
  signal: AbortSignal,
): Promise<{ readonly value: Json } | 'none' | undefined> {
  const list = field.choices.map(({ title }, index) => `  ${index + 1}) ${showInvisible(title)}\n`).join('')
  const label = `${plainText(field.label)}${field.isRequired ? '' : ' (optional)'}`
  for (let text = `${head}${list}${label}> `; ; text = `Enter ${field.hint}: `) {
    const line = await promptLine(text, signal)
    if (line === undefined) return undefined
    const value = field.read(line)
    if (value !== undefined) return value
  }
}

/**
 * Creates a prompt that asks one question at a time. Output of the run and its functions is held back
 * meanwhile.
 */
function createPromptLine(
  terminal: Terminal,
  reporter: Reporter,
  readLine: PromptLine = (text, signal) => readPlainLine(text, { terminal, signal }),
): PromptLine {
  let last: Promise<unknown> = Promise.resolve()
  const ask: PromptLine = (text, signal) =>
    reporter.pause(() => withBufferedNotes(terminal, () => readLine(text, signal)))
  return (text, signal) => {
    const next = last.then(() => readTyped(terminal.stdin)).then(() => (reporter.ask ?? ask)(text, signal))
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

/** Escapes invisible characters in untrusted text, and keeps its lines. */
function showInvisible(text: string): string {
  return text.split('\n').map(visibleText).join('\n')
}
