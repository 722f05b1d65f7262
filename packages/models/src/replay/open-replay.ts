import { basename } from 'node:path'
import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Cassette, CassetteEntry } from '@troupe/cassette'
import {
  NO_USAGE,
  TroupeError,
  troupeError,
  type Failure,
  type LanguageModel,
  type Usage,
} from '@troupe/schema'
import type { ModelHandle } from '@troupe/schema/ports'
import { embeddedModel, lastUserText, type EmbeddedAnswer } from '../embedded/embedded-model.ts'

/**
 * Opens the model of a recorded run. A run gets the recorded answers of a run of the same agent, preferably
 * with the same input, while tools run for real. Throws `replay_mismatch` for a call that was not recorded.
 */
export function openReplay(cassette: Cassette, file: string): ModelHandle['open'] {
  const uses = new Map<string, number>()
  return ({ agent, calls = 0 }): LanguageModel => {
    let made = calls
    let recordedRunId: string | undefined
    return embeddedModel({ provider: 'replay', modelId: basename(file) }, ({ prompt }) => {
      recordedRunId ??= chooseRun(cassette, { agent, input: lastUserText(prompt), uses, file })
      const entry = callsOf(cassette, recordedRunId)[made]
      made += 1
      if (entry !== undefined) return toAnswer(entry)
      throw mismatch(
        `${file} has ${made - 1} model calls for the run ${recordedRunId} of ${agent}; this is call ${made}`,
      )
    })
  }
}

/**
 * Chooses the recorded run to replay: of the same agent, if possible with the same input, and the least used
 * one among several.
 */
function chooseRun(
  { entries }: Cassette,
  run: {
    readonly agent: string
    readonly input: string
    readonly uses: Map<string, number>
    readonly file: string
  },
): string {
  const { agent, input, uses, file } = run
  const all = entries.filter((entry) => entry.event === 'run-start' && entry['agent'] === agent)
  const same = all.filter((entry) => entry['input'] === input)
  const [chosen] = (same.length > 0 ? same : all).toSorted((a, b) => used(uses, a) - used(uses, b))
  if (chosen === undefined) throw mismatch(`${file} contains no run of the agent ${agent}`)
  uses.set(chosen.run, used(uses, chosen) + 1)
  return chosen.run
}

function used(uses: ReadonlyMap<string, number>, { run }: CassetteEntry): number {
  return uses.get(run) ?? 0
}

function callsOf({ entries }: Cassette, recordedRunId: string): readonly CassetteEntry[] {
  return entries.filter(({ run, event }) => run === recordedRunId && event === 'usage')
}

interface RecordedPart {
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly input?: unknown
}

function toAnswer({ answer, error, tokens }: CassetteEntry): EmbeddedAnswer {
  if (error !== undefined) throw new TroupeError(error as unknown as Failure)
  const { content = [], inputs = {} } = (answer ?? {}) as unknown as {
    readonly content?: readonly RecordedPart[]
    readonly inputs?: Readonly<Record<string, string>>
  }
  return {
    text: content.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join(''),
    calls: content.flatMap(({ type, toolCallId: id = '', toolName: name = '', input }) =>
      type === 'tool-call' ? [{ id, name, input: inputs[id] ?? JSON.stringify(input) }] : [],
    ),
    usage: toUsage({ ...NO_USAGE, ...(tokens as Partial<Usage> | undefined) }),
  }
}

function toUsage({ input, output, cacheRead, cacheWrite, reasoning }: Usage): LanguageModelV4Usage {
  return {
    inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite },
    outputTokens: { total: output, text: undefined, reasoning },
  }
}

function mismatch(what: string): Error {
  return troupeError('replay_mismatch', `${what}.`)
}
