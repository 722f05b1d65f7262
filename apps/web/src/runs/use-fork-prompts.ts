import { useState } from 'react'
import { promptsPath, type RunPrompts } from '../api/runs.ts'
import { useRequest } from '../api/use-request.ts'

/** The prompts of a run while they are edited for a fork. */
export interface ForkPrompts {
  /** Prompts by agent. Empty until they are loaded, or if this person may not see them. */
  readonly prompts: ReadonlyMap<string, string>
  /** The prompts that differ from the original. */
  readonly changed: Readonly<Record<string, string>>
  change(agent: string, prompt: string): void
}

/** Loads the prompts of a run, and holds the edited ones. */
export function useForkPrompts(runId: string): ForkPrompts {
  const { value } = useRequest<RunPrompts>(promptsPath(runId))
  const [written, setWritten] = useState<ReadonlyMap<string, string>>(new Map())
  const known = new Map(value?.prompts.map(({ agent, prompt }) => [agent, prompt]))
  const changed = [...written].filter(([agent, prompt]) => known.get(agent) !== prompt)
  return {
    prompts: new Map([...known, ...written]),
    changed: Object.fromEntries(changed),
    change: (agent, prompt) => setWritten(new Map([...written, [agent, prompt]])),
  }
}
