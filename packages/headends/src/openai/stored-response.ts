import { failure, troupeError } from '@troupe/schema'
import type { RunService } from '../run-service/run-service.ts'
import type { RunView } from '../run-service/run-view.ts'
import { echoedFieldsOf } from './response-note.ts'
import { readResponseId } from './response-id.ts'
import { responseObject, type ResponseState } from './response-object.ts'

/**
 * Returns a stored response in the current state of its run. Rejects with `run_unknown`, also for responses
 * of other principals.
 */
export async function storedResponse(
  id: string,
  {
    principal,
    runService,
  }: { readonly principal: string; readonly runService: Pick<RunService, 'view' | 'note'> },
): Promise<Readonly<Record<string, unknown>>> {
  const ref = readResponseId(id)
  if (ref === undefined) throw troupeError('run_unknown', `There is no response ${id.slice(0, 200)}.`)
  const view = await runService.view(ref.runId, principal)
  if (view.sessionId !== ref.sessionId)
    throw troupeError('run_unknown', `There is no response ${id.slice(0, 200)}.`)
  const request = { model: view.agent, ...echoedFieldsOf(await runService.note(ref.runId, principal)) }
  const head = { id, createdAt: Math.floor(view.startedAt / 1000), request }
  return responseObject(head, endOf(view))
}

function endOf({ state, output, usage, error }: RunView): ResponseState {
  if (OPEN.has(state)) return { status: 'in_progress' }
  if ((state === 'completed' || state === 'partial') && usage !== undefined)
    return { status: state === 'partial' ? 'incomplete' : 'completed', text: output?.text ?? '', usage }
  return { status: 'failed', reason: error ?? failure('internal', `The run ended as ${state}.`) }
}

const OPEN: ReadonlySet<RunView['state']> = new Set(['queued', 'running', 'waiting', 'interrupted'])
