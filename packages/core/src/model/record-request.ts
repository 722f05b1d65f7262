import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { JsonObject, RunTreeRecording } from '@troupe/schema'
import { toJson } from '../calls/normalise-result.ts'
import { sealed, type Run } from '../session/run.ts'

/** Passes the request of a model call to the recording, with secrets sealed. */
export function recordRequest(
  run: Run,
  recording: RunTreeRecording,
  request: LanguageModelV4CallOptions,
): void {
  const { abortSignal: _, ...rest } = request
  recording.onModelRequest(run.request.runId, sealed(run, toJson(rest)) as JsonObject)
}
