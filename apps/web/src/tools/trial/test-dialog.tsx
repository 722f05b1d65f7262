import type { AgentTool, Json, JsonObject } from '@troupe/schema'
import { fillPromptTemplate, parsePromptTemplate } from '@troupe/tools/prompt-template'
import { Play } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { client } from '../../api/client.ts'
import { useAction } from '../../api/use-request.ts'
import { ModelSelect } from '../../chat/chat-settings.tsx'
import { ValueField } from '../../form/value-field.tsx'
import { valueProblems } from '../../form/value-problems.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNotice } from '../../ui/notice.tsx'
import { dispatchTrial } from './trial-event.ts'

/** Shows the form for testing a tool, with a preview of the prompt. Starts a run of it. */
export function TestDialog({
  agent,
  tool,
  onClose,
}: {
  readonly agent: string
  readonly tool: AgentTool
  readonly onClose: () => void
}): ReactElement {
  const parameters = tool.parameters as unknown as JsonObject
  const [args, setArgs] = useState<JsonObject>({})
  const [model, setModel] = useState<string>()
  const [wasTried, setTried] = useState(false)
  const problems = valueProblems(parameters, args)
  const problemAt = (path: string): string | undefined =>
    wasTried ? problems.find((problem) => problem.path === path)?.message : undefined
  const run = useAction(
    () => client.tools.test({ agent, tool: tool.name }, { args, model }),
    (started) =>
      dispatchTrial({
        initialMessage: 'prompt' in started ? started.prompt : '',
        readOnly: true,
        initialModel: model,
        agent,
        tool: tool.name,
        runId: started.runId,
      }),
  )
  const hasParameters = Object.keys(parameters['properties'] ?? {}).length > 0
  return (
    <Dialog title={`Test ${tool.name}`} isOpen onClose={onClose} isWide>
      <form
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (problems.length === 0) run.run()
        }}
      >
        <div className="grid min-h-0 grow gap-6 overflow-auto p-5 sm:grid-cols-2">
          <div className="min-w-0">
            {hasParameters ? (
              <ValueField
                label={tool.name}
                schema={parameters}
                value={args}
                isRequired
                onChange={(value: Json | undefined) => setArgs((value ?? {}) as JsonObject)}
                problemAt={problemAt}
                path=""
              />
            ) : (
              <p className="text-small text-muted">This tool has no parameters.</p>
            )}
          </div>
          <section aria-label="Preview" className="flex min-w-0 flex-col gap-2">
            <h3 className="text-small font-medium">Prompt for the agent</h3>
            <pre
              aria-live="polite"
              tabIndex={0}
              className="min-h-24 rounded-md border border-line bg-raised p-3 font-mono text-small break-words whitespace-pre-wrap"
            >
              {previewOf(tool, args)}
            </pre>
            <p className="text-tiny text-muted">
              Missing values are shown as placeholders here, and are empty in the run.
            </p>
          </section>
        </div>
        <div className="flex shrink-0 flex-wrap items-center justify-end gap-3 border-t border-line px-5 py-3">
          {run.failure === undefined ? null : <FailureNotice failure={run.failure} className="grow" />}
          {wasTried && problems.length > 0 ? (
            <p role="alert" className="text-small text-bad">
              {problems.length === 1 ? 'One value is' : `${problems.length} values are`} not valid.
            </p>
          ) : null}
          <div className="mr-auto">
            <ModelSelect model={model} onChange={setModel} />
          </div>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="solid" type="submit" disabled={run.isBusy}>
            <Play aria-hidden="true" className="size-3.5 fill-current" /> Run
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function previewOf({ name, description, parameters, prompt }: AgentTool, args: JsonObject): string {
  const subject = { tool: { name, description }, parameters: parameters as unknown as JsonObject }
  return fillPromptTemplate(parsePromptTemplate(prompt), { subject, args, mode: 'preview' })
}
