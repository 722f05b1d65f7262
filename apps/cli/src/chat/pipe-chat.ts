import { createInterface } from 'node:readline'
import { EXIT, exitCodeOf } from '../terminal/exit-code.ts'
import { readMessage } from '../input/read-message.ts'
import { printAnswer, printEnd } from '../reporter/end.ts'
import { waitForStop } from '../terminal/stop.ts'
import type { CommandContext } from '../terminal/context.ts'
import { createChatWarnings } from './chat-warnings.ts'
import type { ChatContext, ChatOptions } from './chat-context.ts'
import { runLine } from './input-line.ts'
import type { TeamChat } from './team-chat.ts'

/**
 * Runs a conversation without a terminal: each line of stdin is a turn, or all of it is one with `--whole`.
 * Answers go to stdout in order. A failed turn does not stop the next one; the exit code is that of the first
 * turn that did not complete.
 */
export async function pipeChat(
  teamChat: TeamChat,
  options: ChatOptions,
  context: CommandContext,
): Promise<number> {
  const { stop, terminal } = context
  let code: number = EXIT.completed
  let isExiting = false
  const recordExitCode = (next: number | undefined): void => {
    if (code === EXIT.completed) code = next ?? EXIT.completed
  }
  const warn = createChatWarnings(terminal)
  const chat: ChatContext = {
    teamChat,
    options,
    context,
    print: (lines) => void terminal.stderr.write(`${lines.join('\n')}\n`),
    async runTurn(start) {
      const { report, warnings } = await start()
      if (stop.silent) return
      printAnswer(report, terminal.stdout)
      warn(warnings)
      printEnd(report, terminal)
      recordExitCode(exitCodeOf(report))
    },
    exit() {
      isExiting = true
    },
  }
  for await (const line of messages(options, context)) {
    recordExitCode(await runLine(line, chat))
    if (isExiting || stop.signal.aborted) break
  }
  return stop.exitCode ?? code
}

/** Yields the messages on stdin until it ends or the program is stopped. */
async function* messages(options: ChatOptions, context: CommandContext): AsyncGenerator<string> {
  if (options.whole === true) {
    const message = await readMessage([], context)
    if (message !== undefined) yield message.startsWith('/') ? `/${message}` : message
    return
  }
  const lines = createInterface({ input: context.terminal.stdin, crlfDelay: Infinity })
  const reader = lines[Symbol.asyncIterator]()
  const stopped = waitForStop(context.stop).then(() => ({ done: true as const, value: undefined }))
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.next(), stopped])
      if (done === true) return
      const line = value.replace(/^\uFEFF/u, '').trim()
      if (line !== '') yield line
    }
  } finally {
    lines.close()
  }
}
