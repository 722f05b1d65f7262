import type { AgentTool } from '@troupe/schema'
import type { ReactElement } from 'react'
import { deleteTool } from '../api/tools.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FailureNotice } from '../ui/failure-notice.tsx'

/** Asks for confirmation before a tool is deleted from its card. */
export function DeleteDialog({
  agent,
  tool,
  version,
  onDone,
  onClose,
}: {
  readonly agent: string
  readonly tool: AgentTool
  readonly version: string | undefined
  readonly onDone: () => void
  readonly onClose: () => void
}): ReactElement {
  const remove = useAction(() => deleteTool(agent, { name: tool.name, version }), onDone)
  return (
    <Dialog title={`Delete ${tool.name}?`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4 p-5">
        <p className="text-small">
          It is taken out of the card of {agent}. Clients that call it are then told that there is no such
          tool.
        </p>
        {remove.failure === undefined ? null : <FailureNotice failure={remove.failure} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Keep it</Button>
          <Button tone="danger" disabled={remove.isBusy} onClick={() => remove.run()}>
            Delete
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
