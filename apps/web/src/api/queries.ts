import type {
  AgentList,
  ApprovalList,
  EvalReport,
  EvalReportList,
  CardSource,
  EventPage,
  ModelList,
  RequestOptions,
  Run,
  RunListOptions,
  RunPage,
  RunPrompts,
  RunSummary,
  ScheduleList,
  TeamStats,
} from '@troupe/client'
import type { RunListFilter } from '../route/route.ts'
import { client } from './client.ts'

/** A request that can be repeated. */
export interface ApiQuery<T> {
  /** Identifies the request: queries with the same key load the same. */
  readonly key: string
  load(options: RequestOptions): Promise<T>
}

/** The served agents. */
export const AGENTS: ApiQuery<AgentList> = { key: 'agents', load: client.agents.list }

/** The models that a run may use. */
export const MODELS: ApiQuery<ModelList> = { key: 'models', load: client.models.list }

/** The open approvals and questions. */
export const APPROVALS: ApiQuery<ApprovalList> = { key: 'approvals', load: client.approvals.list }

/** The reports of evaluations. */
export const EVALS: ApiQuery<EvalReportList> = { key: 'evals', load: client.evals.list }

/** Returns the query of a report, compared with another one if `base` is its id. */
export function evalQuery(id: string, base?: string): ApiQuery<EvalReport> {
  return {
    key: `eval ${id} ${base ?? ''}`,
    load: (options) => client.evals.get(id, { ...(base === undefined ? {} : { base }), ...options }),
  }
}

/** The schedules. */
export const SCHEDULES: ApiQuery<ScheduleList> = { key: 'schedules', load: client.schedules.list }

/** The figures of the team in the newest runs. */
export const TEAM_STATS: ApiQuery<TeamStats> = { key: 'stats', load: client.agents.stats }

/** Returns the query of the card of an agent as a text. Only operators can read it. */
export function cardQuery(agent: string): ApiQuery<CardSource> {
  return { key: `card ${agent}`, load: (options) => client.cards.get(agent, options) }
}

/** Returns the query of a page of runs. */
export function runsQuery(list: RunListOptions): ApiQuery<RunPage> {
  return {
    key: `runs ${JSON.stringify(list)}`,
    load: (options) => client.runs.list({ ...list, ...options }),
  }
}

/** Returns the query of a run. */
export function runQuery(runId: string): ApiQuery<Run> {
  return { key: `run ${runId}`, load: (options) => client.runs.get(runId, options) }
}

/** Returns the query of the first page of a run's stored events. */
export function firstEventsQuery(runId: string): ApiQuery<EventPage> {
  return { key: `events ${runId}`, load: (options) => client.runs.events(runId, options) }
}

/** Returns the query of a run's prompts, which only people who may change them can read. */
export function promptsQuery(runId: string): ApiQuery<RunPrompts> {
  return { key: `prompts ${runId}`, load: (options) => client.runs.prompts(runId, options) }
}

/** Returns the query of the card of an agent, with all keys. */
export function templateQuery(agent: string): ApiQuery<string> {
  return { key: `template ${agent}`, load: (options) => client.agents.template(agent, options) }
}

/** Returns true if the run is queued, running or waiting. */
export function isOpenRun({ state }: Pick<Run, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'waiting'
}

const STATES: Readonly<Record<Exclude<RunListFilter['state'], ''>, readonly RunSummary['state'][]>> = {
  open: ['queued', 'running', 'waiting', 'interrupted'],
  answered: ['completed', 'partial'],
  failed: ['failed', 'timeout', 'budget', 'cancelled', 'denied', 'damaged'],
}

/** The longest search text that the server accepts. */
const MAX_SEARCH_LENGTH = 200

/** Returns a filter as the query of the list of runs. */
export function toRunListOptions({
  text,
  agent,
  state,
}: RunListFilter): Pick<RunListOptions, 'q' | 'agent' | 'state'> {
  const q = text.trim().slice(0, MAX_SEARCH_LENGTH)
  return {
    ...(q === '' ? {} : { q }),
    ...(agent === '' ? {} : { agent }),
    ...(state === '' ? {} : { state: STATES[state].join(',') }),
  }
}
