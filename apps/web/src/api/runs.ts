import type { DecisionBody, ForkBody, RunSummary, RunView, StartedRun, StartRunBody } from '@troupe/headends'
import type { RunListFilter } from '../route/route.ts'
import { request, type RequestResult } from './request.ts'

const STATES: Readonly<Record<Exclude<RunListFilter['state'], ''>, readonly RunSummary['state'][]>> = {
  open: ['queued', 'running', 'waiting', 'interrupted'],
  answered: ['completed', 'partial'],
  failed: ['failed', 'timeout', 'budget', 'cancelled', 'denied', 'damaged'],
}

/** The longest search text that the server accepts. */
const MAX_SEARCH_LENGTH = 200

/** The path of the list of models. */
export const MODELS_PATH = 'api/models'

/** Returns the path of a page of the list of runs. */
export function runListPath(query: Readonly<Record<string, string>>): string {
  return `api/runs?${new URLSearchParams(query).toString()}`
}

/** The path of the list of open approvals. */
export const APPROVALS_PATH = 'api/approvals'

/** Returns the path of a run. */
export function runPath(runId: string): string {
  return `api/runs/${encodeURIComponent(runId)}`
}

/** Returns the path of a run's prompts, which only people who may change them can read. */
export function promptsPath(runId: string): string {
  return `${runPath(runId)}/prompts`
}

/** Returns true if the run is queued, running or waiting. */
export function isOpenRun({ state }: Pick<RunView, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'waiting'
}

/** Returns a filter as the query of the list of runs. */
export function toRunQuery({ text, agent, state }: RunListFilter): Readonly<Record<string, string>> {
  const q = text.trim().slice(0, MAX_SEARCH_LENGTH)
  return {
    ...(q === '' ? {} : { q }),
    ...(agent === '' ? {} : { agent }),
    ...(state === '' ? {} : { state: STATES[state].join(',') }),
  }
}

/** Starts a run. It continues even if the page is closed. */
export function startRun(start: StartRunBody): Promise<RequestResult<StartedRun>> {
  return request('api/runs', { method: 'POST', body: start })
}

/** Stops a run and all its child runs. */
export function stopRun(runId: string): Promise<RequestResult<unknown>> {
  return request(`api/runs/${encodeURIComponent(runId)}/stop`, { method: 'POST', body: {} })
}

/** Starts a new run with the same agent and input. */
export function retryRun(runId: string): Promise<RequestResult<StartedRun>> {
  return request(`api/runs/${encodeURIComponent(runId)}/retry`, { method: 'POST', body: {} })
}

/** Starts a new run that branches off from a turn of a run. */
export function forkRun(runId: string, fork: ForkBody): Promise<RequestResult<StartedRun>> {
  return request(`api/runs/${encodeURIComponent(runId)}/fork`, { method: 'POST', body: fork })
}

/** Sends the decision on a call that waits for approval. */
export function decideApproval(
  runId: string,
  { approvalId, decision }: { readonly approvalId: string; readonly decision: DecisionBody },
): Promise<RequestResult<unknown>> {
  return request(`api/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(approvalId)}`, {
    method: 'POST',
    body: decision,
  })
}
