import type { RunRequest } from '@troupe/schema'
import { sessionOf } from '../conversation/start-conversation-turn.ts'
import type { RootRun } from './root-run.ts'

/** Creates the request of a root run as it is stored, without its history. */
export function toRequest({ definition, input, options }: RootRun, runId: string): RunRequest {
  return {
    runId,
    rootRunId: runId,
    agent: { name: definition.name, digest: definition.digest },
    instance: definition.name,
    input,
    ...(options.attachments === undefined ? {} : { attachments: options.attachments }),
    ...(options.output === undefined ? {} : { output: options.output }),
    ...(options.note === undefined ? {} : { note: options.note }),
    ...(options.model === undefined ? {} : { team: { model: options.model } }),
    ...(options.headless === true ? { headless: true as const } : {}),
    ...(definition.type === 'agent' ? {} : { composed: true }),
    ancestry: [],
    ...sessionOf(options, runId),
  }
}
