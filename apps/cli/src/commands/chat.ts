import { createInterface } from 'node:readline'
import { troupeError } from '@troupe/schema'
import type { ChatOptions, ChatContext } from '../chat/chat-context.ts'
import { sessionTable } from '../chat/conversations.ts'
import { openTeamChat, type TeamChat } from '../chat/team-chat.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT, exitCodeOf } from '../terminal/exit-code.ts'
import { printPlanProblems } from '../reporter/plan-problems.ts'
import { readMessage } from '../input/read-message.ts'
import { printAnswer, printEnd } from '../reporter/end.ts'
import { waitForStop } from '../terminal/stop.ts'
import { createChatWarnings } from '../chat/chat-warnings.ts'
import { runLine } from '../chat/input-line.ts'

/** Runs `troupe chat <card>`: a conversation with the agents of a team. Resolves with the exit code. */
export async function chatCommand(
  card: string,
  options: ChatOptions,
  context: CommandContext,
): Promise<number> {
  requireStore(options)
  const teamChat = await openTeamChat(card, options, context)
  try {
    if (printPlanProblems(teamChat.team.host.plan(), options, context) !== undefined) return EXIT.usage
    if (options.list === true) return await listSessions(teamChat, context)
    await chooseSession(teamChat, options, context)
    if (!context.terminal.interactive) return await pipeChat(teamChat, options, context)
    const { terminalChat } = await import('../chat/terminal-chat.ts')
    return await terminalChat(teamChat, { card, options }, context)
  } finally {
    await teamChat.close()
  }
}

/** Throws `usage_invalid` if an option needs earlier conversations but there is no store. */
function requireStore({ store, session, continue: continueLast, list }: ChatOptions): void {
  if (store !== false) return
  const option = [
    session === undefined ? [] : ['--session'],
    continueLast === true ? ['--continue'] : [],
    list === true ? ['--list'] : [],
  ].flat()[0]
  if (option !== undefined)
    throw troupeError('usage_invalid', `${option} works only with saved runs.`, {
      fix: 'Remove --no-store.',
    })
}

async function listSessions({ team }: TeamChat, { terminal }: CommandContext): Promise<number> {
  const { stdout, outStyle: style } = terminal
  const lines = await sessionTable(team, {
    style,
    columns: stdout.isTTY === true ? stdout.columns : undefined,
  })
  stdout.write(`${lines.join('\n')}\n`)
  return EXIT.completed
}

async function chooseSession(
  teamChat: TeamChat,
  { session, continue: continueLast }: ChatOptions,
  { terminal }: CommandContext,
): Promise<void> {
  if (session !== undefined) return teamChat.openConversation(session)
  if (continueLast !== true) return
  const { host } = teamChat.team
  const agents = new Set(host.agents().map(({ name }) => name))
  const last = (await host.sessions()).find(({ agent }) => agents.has(agent))
  if (last === undefined)
    throw troupeError('session_unknown', 'There is no saved conversation with an agent of this team.', {
      fix: 'Remove --continue to start one.',
    })
  // At a terminal, the user chooses.
  if (!terminal.interactive) await teamChat.openConversation(last.sessionId)
}

/**
 * Runs a conversation without a terminal: each line of stdin is a turn, or all of it is one with `--whole`.
 * Answers go to stdout in order. A failed turn does not stop the next one; the exit code is that of the first
 * turn that did not complete.
 */
async function pipeChat(teamChat: TeamChat, options: ChatOptions, context: CommandContext): Promise<number> {
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
