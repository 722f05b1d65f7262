import { useState } from 'react'
import { promptsPath, type RunPrompts } from '../api/runs.ts'
import { useAnswer } from '../api/use-answer.ts'

/** The prompts of a run while they are changed for a fork. */
export interface ForkPrompts {
  /** By agent; empty: they are not known yet, or not for this person to see. */
  readonly prompts: ReadonlyMap<string, string>
  /** Those that are others than before. */
  readonly changed: Readonly<Record<string, string>>
  change(agent: string, prompt: string): void
}

/** Asks for the prompts of a run, and keeps what is written in their place. */
export function useForkPrompts(runId: string): ForkPrompts {
  const { value } = useAnswer<RunPrompts>(promptsPath(runId))
  const [written, setWritten] = useState<ReadonlyMap<string, string>>(new Map())
  const known = new Map(value?.prompts.map(({ agent, prompt }) => [agent, prompt]))
  const changed = [...written].filter(([agent, prompt]) => known.get(agent) !== prompt)
  return {
    prompts: new Map([...known, ...written]),
    changed: Object.fromEntries(changed),
    change: (agent, prompt) => setWritten(new Map([...written, [agent, prompt]])),
  }
}
