import { useState, type ReactElement } from 'react'
import { forkRun } from '../api/run-control.ts'
import { useAction } from '../api/use-action.ts'
import type { RunViewState } from '../reducers/run-view-state.ts'
import { goTo } from '../route/route.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'
import { Field } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'
import { forkPoints } from './fork-points.ts'
import { PromptFields } from './prompt-fields.tsx'
import { useForkPrompts } from './use-fork-prompts.ts'

/**
 * Shows the form for forking a run at a turn, with changed prompts if wanted. Earlier turns are taken over at
 * no cost.
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
  const [chosen, setChosen] = useState<string>()
  const agent = chosen ?? points.find((point) => point.at === at)?.agent ?? ''
  const fork = useAction(
    () => forkRun(runId, { at, acceptChanges, prompts: changed }),
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
          label="Go on live from"
          hint="What came before is taken over as it was, without calling any model or tool."
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
          <PromptFields prompts={prompts} agent={agent} onAgent={setChosen} onChange={change} />
        ) : null}
        <label className="flex items-center gap-2 text-small">
          <input
            type="checkbox"
            checked={acceptChanges}
            onChange={(event) => setAcceptChanges(event.target.checked)}
            className="size-4 accent-accent"
          />
          Take the cards as they are now, also where they have changed
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
