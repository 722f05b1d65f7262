import { historyOf, type HistoryRun } from '@troupe/timeline'
import { useState, type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { promptsQuery } from '../api/queries.ts'
import { useAction, useRequest } from '../api/use-request.ts'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { goTo } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, INPUT_CLASSES, Select } from '../ui/field.tsx'
import { FailureNotice } from '../ui/notice.tsx'

/** A turn at which a run can be forked. */
interface ForkPoint {
  /** In the format of the server: `2` in the root run, `1.2/3` in the run of its call 1.2. */
  readonly at: string
  /** Such as `Reporter[1], turn 2`. */
  readonly label: string
  readonly agent: string
}

/** The prompts of a run while they are edited for a fork. */
interface ForkPrompts {
  /** Prompts by agent. Empty until they are loaded, or if this person may not see them. */
  readonly prompts: ReadonlyMap<string, string>
  /** The prompts that differ from the original. */
  readonly changed: Readonly<Record<string, string>>
  change(agent: string, prompt: string): void
}

/**
 * Shows the form for forking a run at a turn, and for changing its prompts. Earlier turns are copied at no
 * cost.
 */
export function ForkDialog({
  runId,
  viewState,
  onClose,
}: {
  readonly runId: string
  readonly viewState: RunViewState
  readonly onClose: () => void
}): ReactElement {
  const points = forkPoints(viewState)
  const [at, setAt] = useState(points[0]?.at ?? '1')
  const [acceptChanges, setAcceptChanges] = useState(false)
  const { prompts, changed, change } = useForkPrompts(runId)
  const [selected, setSelected] = useState<string>()
  const agent = selected ?? points.find((point) => point.at === at)?.agent ?? ''
  const fork = useAction(
    () => client.runs.fork(runId, { at, acceptChanges, prompts: changed }),
    (started) => goTo({ page: 'run', runId: started.runId }),
  )
  return (
    <Dialog title="Fork this run" isOpen onClose={onClose}>
      <form
        className="flex min-h-0 flex-col gap-4 overflow-auto p-5"
        onSubmit={(event) => {
          event.preventDefault()
          fork.run()
        }}
      >
        <Field
          label="Continue live from"
          hint="Everything before that turn is copied from the run, without calling a model or a tool."
        >
          {(props) => (
            <Select {...props} value={at} onChange={(event) => setAt(event.target.value)}>
              {points.map((point) => (
                <option key={point.at} value={point.at}>
                  {point.label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {prompts.has(agent) ? (
          <PromptFields prompts={prompts} agent={agent} onAgent={setSelected} onChange={change} />
        ) : null}
        <label className="flex items-center gap-2 text-small">
          <input
            type="checkbox"
            checked={acceptChanges}
            onChange={(event) => setAcceptChanges(event.target.checked)}
            className="size-4 accent-accent"
          />
          Use the current cards, even if they have changed
        </label>
        {fork.failure === undefined ? null : <FailureNotice failure={fork.failure} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="solid" type="submit" disabled={fork.isBusy}>
            Fork
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Returns all turns of a run tree, grouped by run. */
export function forkPoints({ timeline }: RunViewState): readonly ForkPoint[] {
  const pointsOf = ({ run, calls }: HistoryRun, path: readonly string[]): readonly ForkPoint[] => [
    ...Array.from({ length: run.turn }, (_, index) => ({
      at: [...path, index + 1].join('/'),
      label: `${run.instance}, turn ${index + 1}`,
      agent: run.agent,
    })),
    ...calls.flatMap(({ call, runs }) =>
      runs.slice(-1).flatMap((child) => pointsOf(child, [...path, call.callId])),
    ),
  ]
  return historyOf(timeline).flatMap((root) => pointsOf(root, []))
}

/** Edits the prompts of the agents in a run for a fork, one at a time. */
function PromptFields({
  prompts,
  agent,
  onAgent,
  onChange,
}: {
  /** The current prompts by agent. */
  readonly prompts: ReadonlyMap<string, string>
  /** The agent whose prompt is shown. */
  readonly agent: string
  readonly onAgent: (agent: string) => void
  readonly onChange: (agent: string, prompt: string) => void
}): ReactElement {
  return (
    <div className="flex min-h-0 grow flex-col gap-2">
      {prompts.size < 2 ? null : (
        <Field label="Agent">
          {(props) => (
            <Select {...props} value={agent} onChange={(event) => onAgent(event.target.value)}>
              {[...prompts.keys()].map((name) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Field label={`Prompt of ${agent}`} hint="Only for this fork. The card is not changed.">
        {(props) => (
          <textarea
            {...props}
            spellCheck={false}
            value={prompts.get(agent) ?? ''}
            onChange={(event) => onChange(agent, event.target.value)}
            className={`${INPUT_CLASSES} field-sizing-content max-h-72 min-h-28 resize-none py-1.5 font-mono`}
          />
        )}
      </Field>
    </div>
  )
}

/** Loads the prompts of a run, and holds the edited ones. */
function useForkPrompts(runId: string): ForkPrompts {
  const { value } = useRequest(promptsQuery(runId))
  const [edits, setEdits] = useState<ReadonlyMap<string, string>>(new Map())
  const stored = new Map(value?.prompts.map(({ agent, prompt }) => [agent, prompt]))
  const changed = [...edits].filter(([agent, prompt]) => stored.get(agent) !== prompt)
  return {
    prompts: new Map([...stored, ...edits]),
    changed: Object.fromEntries(changed),
    change: (agent, prompt) => setEdits(new Map([...edits, [agent, prompt]])),
  }
}
