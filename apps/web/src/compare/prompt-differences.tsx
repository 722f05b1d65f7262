import type { RunPrompts } from '@troupe/client'
import { useState, type ReactElement } from 'react'
import { promptsQuery } from '../api/queries.ts'
import { useRequest } from '../api/use-request.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Section } from '../ui/section.tsx'
import { DiffView } from './diff-view.tsx'

/** Shows how the prompts of two runs differ, to callers that may read both. */
export function PromptDifferences({
  left,
  right,
}: {
  readonly left: string
  readonly right: string
}): ReactElement | null {
  const { value: before, failure } = useRequest(promptsQuery(left))
  const { value: after, failure: afterFailure } = useRequest(promptsQuery(right))
  const [isOpen, setOpen] = useState(false)
  if (failure !== undefined || afterFailure !== undefined) return null
  if (before === undefined || after === undefined)
    return <p className="text-small text-muted">Comparing prompts …</p>
  const changed = changedPrompts(before, after)
  if (changed.length === 0) return <p className="text-small text-muted">Prompts are equal.</p>
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {changed.length === 1 ? '1 prompt differs' : `${changed.length} prompts differ`}
      </Button>
      <Dialog title="Prompts" isWide isOpen={isOpen} onClose={() => setOpen(false)}>
        <div className="flex min-h-0 flex-col gap-5 overflow-auto p-5">
          {changed.map(({ agent, left: text, right: other }) => (
            <Section key={agent} title={agent} level={3}>
              <DiffView left={text} right={other} />
            </Section>
          ))}
        </div>
      </Dialog>
    </>
  )
}

/** The prompts of an agent in two runs; `undefined` if the agent has none in a run. */
interface ChangedPrompt {
  readonly agent: string
  readonly left: string | undefined
  readonly right: string | undefined
}

/** Returns the agents whose prompts differ. */
export function changedPrompts(left: RunPrompts, right: RunPrompts): readonly ChangedPrompt[] {
  const textsOf = ({ prompts }: RunPrompts): ReadonlyMap<string, string> =>
    new Map(prompts.map(({ agent, prompt }) => [agent, prompt]))
  const [before, after] = [textsOf(left), textsOf(right)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((agent) => ({ agent, left: before.get(agent), right: after.get(agent) }))
    .filter((prompt) => prompt.left !== prompt.right)
}
