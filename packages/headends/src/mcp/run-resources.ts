import { ProtocolError, ProtocolErrorCode, type ReadResourceResult } from '@modelcontextprotocol/server'
import { resourceContent, runFileUri, type ResourceSource } from '@troupe/meta-mcp'
import { toFailure, type JsonObject } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import type { ReadableRuns } from '../run-service/readable-runs.ts'
import type { RunSummary, RunView } from '../run-service/run-view.ts'

/** The runs to list as resources. */
interface ResourceOwner {
  /** Owner of the runs. */
  readonly principal: string
  /** Name of the agent whose runs are listed. Default: all agents. */
  readonly agent?: string
}

const PAGE_SIZE = 50
const MAX_TITLE = 100
const RUN = /^troupe:\/\/runs\/([\w-]{1,100})(?:\/files\/(\d{1,2}))?$/u

/** Creates the resources of a caller: the answers of its runs and the files of these answers. */
export function createRunResources(runs: ReadableRuns, { principal, agent }: ResourceOwner): ResourceSource {
  return {
    templates: [
      {
        uriTemplate: 'troupe://runs/{runId}',
        name: 'run',
        description: 'The answer of a run, or its state if it has none.',
      },
      {
        uriTemplate: 'troupe://runs/{runId}/files/{index}',
        name: 'file',
        description: 'A file of the answer of a run, counted from 0.',
      },
    ],
    async list(before) {
      const filter = agent === undefined ? {} : { agent }
      const page = await runs.list({ principal, filter, before, limit: PAGE_SIZE }).catch(unknownCursor)
      return {
        resources: page.runs.map(toResource),
        ...(page.next === undefined ? {} : { nextCursor: page.next }),
      }
    },
    async read(uri) {
      const [, runId, index] = RUN.exec(uri) ?? []
      if (runId === undefined) return undefined
      const run = await runs.view(runId, principal).catch(undefinedIfUnknown)
      if (run === undefined || (agent !== undefined && run.agent !== agent)) return undefined
      return index === undefined
        ? [answerContent(run, uri)]
        : fileContents(run, { index: Number(index), uri })
    },
  }
}

function toResource({ runId, agent, state, input, startedAt }: RunSummary): {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: { readonly lastModified: string }
} {
  const text = plainText(input, { max: MAX_TITLE })
  return {
    uri: `troupe://runs/${runId}`,
    name: runId,
    title: text === '' ? agent : `${agent}: ${text}`,
    description: `A run of ${agent}, ${state}.`,
    annotations: { lastModified: new Date(startedAt).toISOString() },
  }
}

const MEDIA_TYPES = { text: 'text/plain', markdown: 'text/markdown', json: 'application/json' } as const

/** Returns the answer of a run, with links to its files. A run without one is described by its state and its error. */
function answerContent(run: RunView, uri: string): ReadResourceResult['contents'][number] {
  const { runId, agent, state, output, error } = run
  if (output === undefined || (state !== 'completed' && state !== 'partial')) {
    const description: JsonObject = {
      runId,
      agent,
      state,
      ...(error === undefined ? {} : { error: { ...error } }),
    }
    return { uri, mimeType: MEDIA_TYPES.json, text: JSON.stringify(description) }
  }
  const { format, text = '', files = [] } = output
  const links = files.map((_, index) => runFileUri({ runId, index }))
  return {
    uri,
    mimeType: MEDIA_TYPES[format],
    text,
    ...(links.length === 0 ? {} : { _meta: { files: links } }),
  }
}

function fileContents(
  { output }: RunView,
  { index, uri }: { readonly index: number; readonly uri: string },
): ReadResourceResult['contents'] | undefined {
  const file = output?.files?.[index]
  return file?.data === undefined ? undefined : [resourceContent(file, uri)]
}

function unknownCursor(thrown: unknown): never {
  const { code, message } = toFailure(thrown)
  if (code !== 'request_invalid') throw thrown
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `cursor: ${message}`)
}

function undefinedIfUnknown(thrown: unknown): undefined {
  if (toFailure(thrown).code !== 'run_unknown') throw thrown
}
