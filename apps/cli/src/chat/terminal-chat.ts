import { plainText, formatDuration, formatTokens } from '@troupe/timeline'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { runnable } from '../terminal/runnable.ts'
import { printAnswer, printEnd } from '../reporter/end.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Surface, WatchedRun } from '../watch/watch-run.ts'
import type { ChatContext, ChatOptions } from './chat-context.ts'
import { createChatWarnings } from './chat-warnings.ts'
import { createLiveReporter, type LiveReporter } from '../reporter/live-reporter.ts'
import { completeLine, runLine } from './input-line.ts'
import { createLineEditor, type LineEditor, type EditorInput } from './line-editor.ts'
import { recap, sessionEntries } from './conversations.ts'
import { pick } from '../human-input/picker.ts'
import type { TeamChat } from './team-chat.ts'
import { costOf } from '../reporter/summary.ts'
import { storeOption } from '../reporter/waiting.ts'
import { countText } from '../reporter/table.ts'

/** Lines above the prompt, and the page that `o` opens. */
export interface ChatStatus {
  lines(): readonly string[]
  /** Calls `fn` when the lines have changed. */
  watch(fn: () => void): void
  open(): void
}

/** Runs a conversation at a terminal until the user leaves. A failed turn does not end it. */
export async function terminalChat(
  teamChat: TeamChat,
  {
    card,
    options,
    status,
  }: { readonly card: string; readonly options: ChatOptions; readonly status?: ChatStatus },
  context: CommandContext,
): Promise<number> {
  const { terminal, stop, interrupts } = context
  const { style, stderr } = terminal
  const editor = createLineEditor(terminal, {
    history: await pastMessages(teamChat),
    complete: (line) => completeLine(line, teamChat),
    onInterrupt: () => void interrupts.handleInterrupt(),
    signal: stop.signal,
    watchForeground: context.watchForeground,
  })
  const chat = createChat(teamChat, { options, editor }, context)
  const prompt = (): string => [...(status?.lines() ?? []), `${style.cyan('>')} `].join('\n')
  status?.watch(() => editor.setPrompt(prompt()))
  let interruptCount = 0
  // Ignore Ctrl-C between an answer and the next prompt.
  const release = interrupts.addHandler(() => undefined)
  try {
    if (options.continue === true) await continueConversation(chat)
    if (options.quiet !== true) chat.print(greeting(teamChat, context))
    while (!chat.isExited() && !stop.signal.aborted) {
      const input = await readLine(editor, prompt(), terminal)
      if (input.kind === 'end') break
      interruptCount = input.kind === 'interrupt' ? interruptCount + 1 : 0
      if (interruptCount > 1) break
      if (input.kind === 'interrupt') chat.print([style.dim('Press Ctrl-C again or Ctrl-D to exit.')])
      else if (status !== undefined && input.text.trim() === 'o') status.open()
      else if (input.text.trim() !== '') await runLine(input.text.trim(), chat)
    }
  } finally {
    editor.close()
    release()
  }
  if (options.quiet !== true && !stop.silent) stderr.write(farewell(teamChat, { card, options }, context))
  return stop.exitCode ?? EXIT.completed
}

/** Opens the only earlier conversation, or the one that the user chooses. */
async function continueConversation({ teamChat, pick: choose }: ChatContext): Promise<void> {
  const entries = await sessionEntries(teamChat.team)
  const chosen = entries.length < 2 ? entries[0]?.value : await choose?.('Conversations.', entries)
  if (chosen !== undefined) await teamChat.openConversation(chosen)
}

/** Reads a line. Notes printed in the meantime appear above it. */
async function readLine(editor: LineEditor, prompt: string, { notes }: Terminal): Promise<EditorInput> {
  const restore = notes.divert((text) => editor.printAbove(text))
  try {
    return await editor.read(prompt)
  } finally {
    restore()
  }
}

/** Creates the chat of the commands, with `isExited` for the main loop. */
function createChat(
  teamChat: TeamChat,
  { options, editor }: { readonly options: ChatOptions; readonly editor: LineEditor },
  context: CommandContext,
): ChatContext & { isExited(): boolean } {
  const { terminal } = context
  const warn = createChatWarnings(terminal)
  let isExited = false
  return {
    teamChat,
    options,
    context,
    print: (lines) => void terminal.stderr.write(`${lines.join('\n')}\n`),
    async runTurn(start) {
      const keys = drawsTurns(options, context) ? editor.openKeys() : undefined
      try {
        const reporter = keys === undefined ? undefined : openReporter(teamChat, keys, context)
        const surface: Surface = { readLine: editor.ask, ...(reporter === undefined ? {} : { reporter }) }
        printTurn(await start(surface), { reporter, options, warn }, context)
      } finally {
        keys?.close()
      }
    },
    pick: (title, entries) => pick(entries, { title, readKeys: (fn) => editor.readKeys(fn) }, context),
    exit() {
      isExited = true
    },
    isExited: () => isExited,
  }
}

function drawsTurns({ quiet, verbose, logFormat }: ChatOptions, { terminal }: CommandContext): boolean {
  return terminal.animated && quiet !== true && verbose !== true && logFormat === undefined
}

function openReporter(
  teamChat: TeamChat,
  keys: ReturnType<LineEditor['openKeys']>,
  { terminal, clock, watchForeground }: CommandContext,
): LiveReporter {
  const { output } = teamChat.team.host.definition(teamChat.agent)
  return createLiveReporter(terminal, {
    clock,
    streams: output.format !== 'json',
    keys,
    typedAhead: keys,
    watchForeground,
  })
}

function printTurn(
  watched: WatchedRun,
  {
    reporter,
    options,
    warn,
  }: {
    readonly reporter: LiveReporter | undefined
    readonly options: ChatOptions
    readonly warn: ReturnType<typeof createChatWarnings>
  },
  { terminal, stop }: CommandContext,
): void {
  if (stop.silent) return
  const { stdout, stderr, style } = terminal
  const { report, warnings } = watched
  if (reporter === undefined) printAnswer(report, stdout)
  else reporter.finish(report)
  if (options.quiet !== true) warn(warnings)
  if (wasStopped(report)) stderr.write(`${style.yellow('stopped:')} type /retry to ask again.\n`)
  else printEnd(report, terminal)
  if (options.quiet !== true) stderr.write(`${style.dim(usageLine(watched))}\n\n`)
}

/** Returns true if the turn was stopped by Ctrl-C. */
function wasStopped({ outcome, error }: WatchedRun['report']): boolean {
  return outcome === 'cancelled' && error?.code === 'run_cancelled'
}

/** Returns earlier messages to the agents of the team, newest first, for the history of the editor. */
async function pastMessages({ team, turns }: TeamChat): Promise<readonly string[]> {
  const ownMessages = turns.map(({ message }) => message).toReversed()
  const sessions = await team.host.sessions({ limit: 50 })
  const agents = new Set(team.host.agents().map(({ name }) => name))
  const lastMessages = await Promise.all(
    sessions
      .filter(({ agent }) => agents.has(agent))
      .map(async ({ lastRunId }) => {
        const [first] = await team.store.events(lastRunId, { limit: 1 })
        return first?.type === 'run-start' ? first.input : ''
      }),
  )
  return [...new Set([...ownMessages, ...lastMessages])].filter((text) => text !== '')
}

function greeting(teamChat: TeamChat, { terminal }: CommandContext): readonly string[] {
  const { style } = terminal
  const hint = style.dim('Type /help for commands, Ctrl-D to exit.')
  if (teamChat.turns.length > 0) return [...recap(teamChat, terminal), '', hint]
  return [`${style.bold(plainText(teamChat.agent))} ${hint}`]
}

/** Returns the command line that continues the conversation later. */
function farewell(
  { sessionId, turns, team }: TeamChat,
  { card, options }: { readonly card: string; readonly options: ChatOptions },
  { terminal, env }: CommandContext,
): string {
  if (sessionId === undefined || turns.length === 0 || !team.isPersistent) return ''
  const line = `troupe chat ${plainText(card)} --session ${plainText(sessionId)}${storeOption(options.store)}`
  return `${terminal.style.dim('continue')} ${runnable(line, env)}\n`
}

/** Returns one line about the duration, calls, tokens and cost of a turn, child runs included. */
function usageLine({ report, accounts }: Pick<WatchedRun, 'report' | 'accounts'>): string {
  const { total } = accounts
  const children = accounts.byAgent.reduce((sum, { runs }) => sum + runs, 0) - 1
  const mark = total.estimated > 0 ? '~' : ''
  return [
    formatDuration(report.durationMs),
    ...(children > 0 ? [countText(children, 'child run')] : []),
    ...(total.toolCalls > 0 ? [countText(total.toolCalls, 'tool call')] : []),
    `${mark}${formatTokens(total.input)} in, ${mark}${formatTokens(total.output)} out`,
    costOf(total),
  ].join(' · ')
}
