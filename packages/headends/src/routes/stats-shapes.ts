import { z } from 'zod'
import type { AgentStats, CallStats, TeamStats } from '../run-service/agent-stats.ts'
import { count } from './shapes.ts'

const cost = z.number().nullable().meta({ description: 'In USD; null if a price is unknown.' })
const ms = z.number().nonnegative().meta({ description: 'Active time in ms.' })

const agentStatsShape: z.ZodType<AgentStats> = z
  .object({
    agent: z.string(),
    runs: count.meta({ description: 'Root runs and runs that other agents started.' }),
    failures: count.meta({ description: 'Runs with the outcome failed, timeout or budget.' }),
    p50Ms: ms,
    p95Ms: ms,
    meanCost: cost.meta({ description: 'Mean cost of the agent itself, without the agents it calls.' }),
    recent: z
      .array(
        z.object({
          rootRunId: z.string(),
          time: z.number().meta({ description: 'When it ended, in ms since 1970.' }),
          ms,
          cost,
          hasFailed: z.boolean(),
        }),
      )
      .meta({ description: 'At most 30 of the newest runs, the oldest first.' }),
  })
  .meta({ id: 'AgentStats' })

const callStatsShape: z.ZodType<CallStats> = z
  .object({
    from: z.string(),
    to: z.string(),
    calls: count,
    failures: count,
    perRun: z.number().meta({ description: 'Calls per run of the calling agent.' }),
  })
  .meta({ id: 'CallStats' })

/** Schema of the figures of a team. */
export const teamStatsShape: z.ZodType<TeamStats> = z
  .object({
    rootRuns: count.meta({ description: 'Number of root runs that the figures are from.' }),
    isPartial: z.literal(true).exactOptional().meta({
      description: 'Set if runs with many events were left out. A later request may include them.',
    }),
    agents: z.array(agentStatsShape),
    calls: z.array(callStatsShape),
  })
  .meta({ id: 'TeamStats' })
