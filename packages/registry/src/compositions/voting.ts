import { failure, hasAnswer, type AgentDefinition } from '@troupe/schema'
import { canonicalJson } from '@troupe/schema/json'
import type { Compose, RunResult } from '@troupe/schema/ports'
import { readJson } from './ask-json.ts'
import { delegateOne, type Member, toAnswerEnd, toComposedEnd, toFailedEnd } from './delegate.ts'

/** Defaults if the card sets none. */
const MIN_LEAD = 3
const MAX_SAMPLES = 50

/** Equal answers, which count as votes for each other. */
interface VotedAnswer {
  readonly result: RunResult
  readonly votes: number
}

/**
 * Runs one agent on the request again and again until an answer leads all others by `minLead` votes. If the
 * samples are used up, the answer with the most votes is a partial one.
 */
export function voting(worker: Member): Compose {
  return async (context) => {
    const { input, definition } = context
    const {
      minLead = MIN_LEAD,
      maxSamples = MAX_SAMPLES,
      maxSampleLength = Infinity,
    } = definition.composition
    const candidates = new Map<string, VotedAnswer>()
    for (let sample = 1; sample <= maxSamples; sample++) {
      const result = await delegateOne(context, worker, input)
      if (!hasAnswer(result.outcome)) return toComposedEnd(result, leaders(candidates)[0]?.result.text)
      if (result.text.length > maxSampleLength) continue
      const key = matchKey(result.text, definition.composition)
      candidates.set(key, { result, votes: (candidates.get(key)?.votes ?? 0) + 1 })
      const [first, second] = leaders(candidates)
      if (first === undefined) continue
      context.savePartialText(first.result.text)
      if (first.votes - (second?.votes ?? 0) >= minLead) return toComposedEnd(first.result)
    }
    return unfinished(leaders(candidates)[0], { minLead, maxSamples })
  }
}

/** Returns the candidates, those with the most votes first. */
function leaders(candidates: ReadonlyMap<string, VotedAnswer>): readonly VotedAnswer[] {
  return [...candidates.values()].toSorted((a, b) => b.votes - a.votes)
}

/** Returns the form of an answer that is compared with that of others. */
function matchKey(text: string, { matchStrategy = 'exact' }: AgentDefinition['composition']): string {
  if (matchStrategy === 'normalized') return text.trim().toLowerCase().replaceAll(/\s+/gu, ' ')
  const value = matchStrategy === 'structured' ? readJson(text) : undefined
  return value === undefined ? text : canonicalJson(value)
}

function unfinished(
  leader: VotedAnswer | undefined,
  { minLead, maxSamples }: { readonly minLead: number; readonly maxSamples: number },
): ReturnType<typeof toFailedEnd> {
  if (leader === undefined)
    return toFailedEnd(
      failure('composition_unfinished', `All ${maxSamples} answers were longer than maxSampleLength.`),
    )
  const message = `No answer led by ${minLead} votes within ${maxSamples} samples; this one has the most votes.`
  return toAnswerEnd(leader.result.text, failure('composition_unfinished', message))
}
