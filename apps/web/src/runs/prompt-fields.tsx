import type { ReactElement } from 'react'
import { Field } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'
import { INPUT_CLASSES } from '../ui/text-input.tsx'

/** The prompts of the agents of a run, one at a time, to be changed for a fork. */
export function PromptFields({
  prompts,
  agent,
  onAgent,
  onChange,
}: {
  /** By agent, as they are now. */
  readonly prompts: ReadonlyMap<string, string>
  /** Whose prompt is shown. */
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
