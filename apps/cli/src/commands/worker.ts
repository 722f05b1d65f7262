import { randomUUID } from 'node:crypto'
import { toFailure, type Failure } from '@troupe/schema'
import type { RunStore } from '@troupe/schema/ports'
import { plainText } from '@troupe/timeline'
import { parseDurationOption, parseCountOption } from '../input/option-values.ts'
import { printFindings } from '../reporter/plan-problems.ts'
import { openExistingStore } from '../run-store/open-store.ts'
import {
  depthsOf,
  loadExecutor,
  printWarning,
  workerDatabase,
  type WorkerStoreOptions,
} from '../run-store/open-workers.ts'
import { loadHost, type TeamOptions } from '../team/load-host.ts'
import type { CommandContext, LogFormat } from '../terminal/context.ts'
import { EXIT } from '../terminal/exit-code.ts'
import { waitForStop } from '../terminal/stop.ts'

/** Options of `troupe worker`. */
export interface WorkerCommandOptions extends Omit<TeamOptions, 'agent'>, WorkerStoreOptions {
  readonly slots?: string
  readonly maxRuns?: string
  readonly maxRunsPerPrincipal?: string
  /** Starts per second. */
  readonly maxStarts?: string
  readonly drainTimeout?: string
  readonly quiet?: boolean
  readonly logFormat?: LogFormat
}

/** Exit code of a worker that has lost its lock. A service manager then starts it again. */
const LOST_LOCK = 70
const DRAIN_MS = 30_000

/** Runs `troupe worker [cards…]`: takes runs from the queues until stopped. Resolves with the exit code. */
export async function workerCommand(
  cards: readonly string[],
  options: WorkerCommandOptions,
  context: CommandContext,
): Promise<number> {
  const drainMs =
    options.drainTimeout === undefined
      ? DRAIN_MS
      : parseDurationOption(options.drainTimeout, '--drain-timeout')
  const limits = readLimits(options)
  const slots = options.slots === undefined ? {} : { slots: parseCountOption(options.slots, '--slots') }
  const located = { ...options, paths: cards }
  const store = await openWhenReachable(located, context)
  const host = await loadHost(cards.length === 0 ? ['.'] : cards, options, context, { store, isTraced: true })
  const forget = context.atExit(() => host.kill())
  try {
    printFindings(
      host.plan().problems.filter(({ code }) => code !== 'agent_ambiguous'),
      options,
      context,
    )
    const { startWorker } = await loadExecutor()
    const lost = Promise.withResolvers<'lost'>()
    const worker = await startWorker({
      ...(await workerDatabase(located, store, context)),
      ...depthsOf(options),
      ...slots,
      limits,
      id: `${context.identity.host}-${context.identity.pid}-${randomUUID().slice(0, 8)}`,
      runner: host,
      process: context.identity,
      onLost: (reason) => {
        printWarning(reason, context)
        lost.resolve('lost')
      },
      onProblem: (runId, reason) => printProblem(runId, reason, context),
      onError: (thrown) => printWarning(thrown, context),
    })
    if (options.quiet !== true)
      context.terminal.stderr.write(
        `${worker.id} takes runs of ${host
          .agents()
          .map(({ name }) => plainText(name))
          .join(', ')}\n`,
      )
    const end = await Promise.race([waitForStop(context.stop), lost.promise])
    await worker.close(end === 'lost' ? 0 : drainMs)
    return end === 'lost' ? LOST_LOCK : (context.stop.exitCode ?? EXIT.completed)
  } finally {
    await host.close()
    forget()
  }
}

function readLimits({ maxRuns, maxRunsPerPrincipal, maxStarts }: WorkerCommandOptions) {
  return {
    ...(maxRuns === undefined ? {} : { globalConcurrency: parseCountOption(maxRuns, '--max-runs') }),
    ...(maxRunsPerPrincipal === undefined
      ? {}
      : { principalConcurrency: parseCountOption(maxRunsPerPrincipal, '--max-runs-per-principal') }),
    ...(maxStarts === undefined
      ? {}
      : { rateLimit: { runs: parseCountOption(maxStarts, '--max-starts'), perSeconds: 1 } }),
  }
}

function printProblem(runId: string, reason: Failure, context: CommandContext): void {
  printWarning(new Error(`${runId}: ${reason.message} ${reason.remediation}`), context)
}

/** Delay in ms between two attempts to reach the database, and their number. */
const RETRY_MS = 1000
const ATTEMPTS = 60

/** Opens the store, which may be starting or recovering from a crash. */
async function openWhenReachable(options: WorkerCommandOptions, context: CommandContext): Promise<RunStore> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await openExistingStore(options, context)
    } catch (thrown) {
      const isFinal = toFailure(thrown).code !== 'store_unavailable' || attempt === ATTEMPTS
      if (isFinal || context.stop.signal.aborted) throw thrown
      if (attempt === 1) printWarning(thrown, context)
      await new Promise<void>((resolve) => context.clock.after(RETRY_MS, resolve))
    }
  }
}
