import type { ReactElement } from 'react'
import { Field } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'
import { INPUT_CLASSES } from '../ui/text-input.tsx'

/** Edits the prompts of the agents in a run for a fork, one at a time. */
export function PromptFields({
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
      <Field label={`Prompt of ${agent}`} hint="For this fork alone: the card stays as it is.">
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
