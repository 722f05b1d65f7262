import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'

/** Entry of a list. */
export interface QuestionChoice {
  readonly value: string
  readonly label: string
  readonly hint?: string
}

/** Questions that a command asks at the terminal. Each rejects if the user leaves with Ctrl-C or Escape. */
export interface Questions {
  choose(message: string, choices: readonly QuestionChoice[], initial: string): Promise<string>
  /** Asks for a line. `validate` returns the problem of a line, if it has one. */
  askText(
    message: string,
    options: { readonly initial: string; validate(text: string): string | undefined },
  ): Promise<string>
  /** Asks for a text that is not shown. It may be empty. */
  askSecret(message: string, validate: (text: string) => string | undefined): Promise<string>
  confirm(message: string): Promise<boolean>
}

/** Rejection of a question that the user left. */
class QuestionsCancelled extends Error {}

/**
 * Calls `work` with questions, or with `undefined` if the user cannot be asked. Resolves with the exit code for
 * Ctrl-C if the user leaves a question.
 */
export async function withQuestions(
  { terminal, stop }: CommandContext,
  { isAsking }: { readonly isAsking: boolean },
  work: (questions: Questions | undefined) => Promise<number>,
): Promise<number> {
  if (!isAsking || !terminal.interactive) return work(undefined)
  try {
    return await work(await openQuestions({ terminal, stop }))
  } catch (thrown) {
    if (!(thrown instanceof QuestionsCancelled)) throw thrown
    terminal.stderr.write('Cancelled. Nothing was written.\n')
    return stop.exitCode ?? EXIT.cancelled
  }
}

async function openQuestions({
  terminal,
  stop,
}: Pick<CommandContext, 'terminal' | 'stop'>): Promise<Questions> {
  const { confirm, isCancel, password, select, text } = await import('@clack/prompts')
  const streams = { input: terminal.stdin, output: terminal.stderr, signal: stop.signal }
  const answer = async <T>(asked: Promise<T>): Promise<Exclude<T, symbol>> => {
    const value = await asked
    if (isCancel(value)) throw new QuestionsCancelled()
    return value as Exclude<T, symbol>
  }
  return {
    choose: (message, choices, initial) =>
      answer(select({ ...streams, message, options: [...choices], initialValue: initial })),
    askText: (message, { initial, validate }) =>
      answer(
        text({
          ...streams,
          message,
          initialValue: initial,
          validate: (value) => validate(value ?? ''),
        }),
      ),
    askSecret: async (message, validate) =>
      (await answer(password({ ...streams, message, validate: (value) => validate(value ?? '') }))) ?? '',
    confirm: (message) => answer(confirm({ ...streams, message })),
  }
}
