import { App, HTTPReceiver, SocketModeReceiver } from '@slack/bolt'
import { troupeError } from '@troupe/schema'
import { createAgentView, createViewedChannels } from './context/agent-view.ts'
import { createOpenRequests } from './context/open-requests.ts'
import type { SlackContext, SlackAppOptions } from './context/slack-context.ts'
import { callFailureText, createClientOptions, type SlackClientOptions } from './context/client-options.ts'
import { createIntake, type Intake, journalReceiver, rejectFutureRequests } from './app/create-intake.ts'
import { listenToClicks } from './app/click-handlers.ts'
import { listenToMessages, listenToViews } from './app/listen-to-events.ts'
import { openWorkspaces, type Workspace } from './context/workspaces.ts'
import { createSlackRedactor, publicRuns } from './context/redaction.ts'

/** A running Slack app. */
export interface SlackApp {
  /** The workspaces in which the app is installed. */
  readonly workspaces: readonly Pick<Workspace, 'team' | 'name'>[]
  /** The URL that Slack sends requests to; `undefined` in Socket Mode. */
  readonly url?: string
  /**
   * Stops listening, and waits up to `drainMs` for running answers. Unfinished requests are answered after
   * the next start.
   */
  close(): Promise<void>
}

const HOSTNAME = '127.0.0.1'
const PORT = 3000
const PATH = '/slack/events'
const DRAIN_MS = 30_000
const KEEP_MS = 30 * 86_400_000
const FORGET_EVERY_MS = 6 * 3_600_000

/**
 * Starts the app: connects to Slack, and resumes the requests that an earlier process did not answer. Throws
 * `slack_refused`, and `slack_trouble` if Slack cannot be reached for about half an hour.
 */
export async function createSlackApp(options: SlackAppOptions): Promise<SlackApp> {
  const { config, state, clock } = options
  const { hide, pieces } = createSlackRedactor(options.host, config)
  const onError = (thrown: unknown): void => options.onError?.(thrown)
  const clients = createClientOptions({ config, clock, hide, onError })
  const workspaces = await openWorkspaces(config.botTokens, clients.web)
  let isClosing = false
  const open = createOpenRequests()
  const viewed = createViewedChannels()
  const view = createAgentView({ hide, onError })
  const context: SlackContext = {
    ...options,
    ...publicRuns(options, onError),
    workspaces,
    open,
    view,
    viewed,
    hide,
    pieces,
    onError,
    isClosing: () => isClosing,
  }
  const intake = createIntake(context)
  const receiver = receiverOf(options, clients)
  const app = new App({
    receiver: journalReceiver(receiver, state),
    authorize: (source) => authorize(source.teamId, workspaces),
    clientOptions: clients.web,
    convoStore: false,
    logger: clients.logger,
  })
  app.error(async (thrown) => onError(thrown))
  listenToMessages(app, { context, intake })
  listenToClicks(app, { context, intake })
  listenToViews(app, { context, viewed })
  const stopForgetting = forgetPeriodically({ state, clock })
  for (const storedRequest of state.open()) intake.recover(storedRequest)
  const url = await start(receiver, options).catch((thrown: unknown) => {
    stopForgetting()
    throw thrown
  })
  return {
    workspaces: [...workspaces.values()].map(({ team, name }) => ({ team, name })),
    ...(url === undefined ? {} : { url }),
    async close() {
      stopForgetting()
      await receiver.stop().catch(onError)
      if (await isDrained(intake, options)) return
      isClosing = true
      open.stopAll()
      await intake.idle()
    },
  }
}

function receiverOf(
  { config, clock }: SlackAppOptions,
  { logger, socket }: SlackClientOptions,
): SocketModeReceiver | HTTPReceiver {
  const { appToken, signingSecret = '' } = config
  if (appToken === undefined)
    return rejectFutureRequests(new HTTPReceiver({ signingSecret, endpoints: PATH, logger }), clock)
  // Copied, because the socket client adds settings of its own.
  return new SocketModeReceiver({
    appToken,
    logger,
    installerOptions: { clientOptions: { ...socket } },
  })
}

/** Returns the credentials of an event's workspace. Throws `slack_refused` if there is no token for it. */
async function authorize(
  team: string | undefined,
  workspaces: ReadonlyMap<string, Workspace>,
): Promise<{
  readonly botToken: string
  readonly botId: string
  readonly botUserId: string
  readonly teamId: string
}> {
  const workspace = workspaces.get(team ?? '')
  if (workspace === undefined) throw troupeError('slack_refused', `The workspace ${team ?? ''} has no token.`)
  return {
    botToken: workspace.botToken,
    botId: workspace.botId,
    botUserId: workspace.botUser,
    teamId: workspace.team,
  }
}

async function start(
  receiver: SocketModeReceiver | HTTPReceiver,
  { config }: SlackAppOptions,
): Promise<string | undefined> {
  try {
    if (receiver instanceof SocketModeReceiver) {
      await receiver.start()
      return undefined
    }
    const { hostname: host = HOSTNAME, port = PORT } = config
    const server = await receiver.start({ host, port })
    const address = server.address()
    const listening = typeof address === 'object' && address !== null ? address.port : port
    return `http://${host.includes(':') ? `[${host}]` : host}:${listening}${PATH}`
  } catch (cause) {
    throw troupeError('slack_refused', `The app cannot listen to Slack: ${callFailureText(cause)}.`, {
      cause,
    })
  }
}

/**
 * Deletes old state now and every few hours, as an app may run for months. Returns a function that cancels
 * it.
 */
function forgetPeriodically({ state, clock }: Pick<SlackAppOptions, 'state' | 'clock'>): () => void {
  let cancel: (() => void) | undefined
  const forget = (): void => {
    state.forget(clock.now() - KEEP_MS)
    cancel = clock.after(FORGET_EVERY_MS, forget)
  }
  forget()
  return () => cancel?.()
}

/** Resolves with true when all requests are processed, or with false after `drainMs`. */
async function isDrained(intake: Intake, { clock, drainMs = DRAIN_MS }: SlackAppOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(drainMs, () => resolve(false))
    void intake.idle().then(() => {
      cancel()
      resolve(true)
    })
  })
}
