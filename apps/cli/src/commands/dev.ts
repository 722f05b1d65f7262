import type { WatchedReload } from '@troupe/host'
import { errorMessage } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { ChatOptions } from '../chat/chat-context.ts'
import { openTeamChat } from '../chat/team-chat.ts'
import { terminalChat, type ChatStatus } from '../chat/terminal-chat.ts'
import { printPlanProblems, problemHeadlines } from '../reporter/plan-problems.ts'
import type { CommandContext } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { waitForStop } from '../terminal/stop.ts'
import { pageOf, startServer } from './serve.ts'

/** The options of `troupe dev`. */
export type DevOptions = ChatOptions & { readonly port?: string }

/**
 * Runs `troupe dev [folder]`: a chat, the server and its page with one team, which follows edits to the cards.
 * Resolves with the exit code.
 */
export async function devCommand(
  folder: string,
  options: DevOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, cwd } = context
  let problems: readonly string[] = []
  let onChange = (): void => undefined
  const onReload = ({ outcome, problems: found }: WatchedReload): void => {
    const errors = outcome === 'kept' ? found.filter(({ severity }) => severity === 'error') : []
    problems = problemHeadlines(errors, { cwd, style: terminal.style })
    onChange()
  }
  const chatOptions = { ...options, watch: true, isShared: true }
  const teamChat = await openTeamChat(folder, chatOptions, context, onReload)
  try {
    const { host, store } = teamChat.team
    if (printPlanProblems(host.plan(), chatOptions, context) !== undefined) return EXIT.usage
    const { port, model, env, envFile } = options
    const served = {
      quiet: true,
      ...(port === undefined ? {} : { port }),
      ...(model === undefined ? {} : { model }),
      ...(env === undefined ? {} : { env }),
      ...(envFile === undefined ? {} : { envFile }),
    }
    const server = await startServer(host, { store, agents: undefined, options: served }, context)
    try {
      const page = pageOf(server) ?? server.url
      terminal.stderr.write(`# page: ${page} (o and Enter open it)\n`)
      const status: ChatStatus = {
        lines: () => problems,
        watch: (fn) => {
          onChange = fn
        },
        open: () => {
          context.openUrl(page).catch((thrown: unknown) => {
            terminal.stderr.write(
              plainText(`warning: ${page} could not be opened: ${errorMessage(thrown)}\n`),
            )
          })
        },
      }
      if (terminal.interactive)
        return await terminalChat(teamChat, { card: folder, options: chatOptions, status }, context)
      await waitForStop(context.stop)
      return context.stop.exitCode ?? EXIT.completed
    } finally {
      await server.close()
    }
  } finally {
    await teamChat.close()
  }
}
