import { failure, troupeError } from '@troupe/schema'
import type { RunDesk } from '../desk/run-desk.ts'
import type { RunView } from '../desk/run-view.ts'
import { echoedOf } from './asked-note.ts'
import { readResponseId } from './response-id.ts'
import { responseObject, type ResponseEnd } from './response-object.ts'

/**
 * Returns a stored response in the current state of its run. Rejects with `run_unknown`, also for responses
 * of other principals.
 */
export async function storedResponse(
  id: string,
  { principal, desk }: { readonly principal: string; readonly desk: Pick<RunDesk, 'view' | 'note'> },
): Promise<Readonly<Record<string, unknown>>> {
  const place = readResponseId(id)
  if (place === undefined) throw troupeError('run_unknown', `There is no response ${id.slice(0, 200)}.`)
  const view = await desk.view(place.runId, principal)
  if (view.sessionId !== place.sessionId)
    throw troupeError('run_unknown', `There is no response ${id.slice(0, 200)}.`)
  const asked = { model: view.agent, ...echoedOf(await desk.note(place.runId, principal)) }
  const head = { id, createdAt: Math.floor(view.startedAt / 1000), asked }
  return responseObject(head, endOf(view))
}

function endOf({ state, output, usage, error }: RunView): ResponseEnd {
  if (OPEN.has(state)) return { status: 'in_progress' }
  if ((state === 'completed' || state === 'partial') && usage !== undefined)
    return { status: state === 'partial' ? 'incomplete' : 'completed', text: output?.text ?? '', usage }
  return { status: 'failed', reason: error ?? failure('internal', `The run ended as ${state}.`) }
}

const OPEN: ReadonlySet<RunView['state']> = new Set(['queued', 'running', 'waiting', 'interrupted'])
