import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'
import type { ComponentType, ReactElement } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Field } from '../../ui/field.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import type { DraftParameter } from '../draft/draft.ts'
import { problemKey } from '../draft/from-draft.ts'
import { KindSelect } from './kind-select.tsx'
import type { SchemaFieldsProps, ProblemLookup } from './schema-fields-props.ts'

/** Edits a parameter: its name, its type, whether it is required, and the fields of its type. */
export function ParameterCard({
  parameter,
  level,
  problemAt,
  Fields,
  onChange,
  onRemove,
  onUp,
  onDown,
}: {
  readonly parameter: DraftParameter
  readonly level: number
  readonly problemAt: ProblemLookup
  readonly Fields: ComponentType<SchemaFieldsProps>
  readonly onChange: (parameter: DraftParameter) => void
  readonly onRemove: () => void
  readonly onUp: (() => void) | undefined
  readonly onDown: (() => void) | undefined
}): ReactElement {
  const { id, name, isRequired, schema } = parameter
  const shown = name === '' ? 'new parameter' : name
  return (
    <fieldset
      aria-label={`Parameter ${shown}`}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-panel p-3"
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-36 grow basis-0">
          <Field label="Name" problem={problemAt(problemKey(id, 'name'))}>
            {(props) => (
              <TextInput
                {...props}
                className="font-mono"
                value={name}
                spellCheck={false}
                onChange={(event) => onChange({ ...parameter, name: event.target.value })}
              />
            )}
          </Field>
        </div>
        <KindSelect schema={schema} onChange={(changed) => onChange({ ...parameter, schema: changed })} />
        <label className="mt-6 flex h-8 items-center gap-2 text-small font-medium">
          <input
            type="checkbox"
            checked={isRequired}
            onChange={(event) => onChange({ ...parameter, isRequired: event.target.checked })}
            className="size-4 accent-accent"
          />
          Required
        </label>
        <div className="mt-6 flex">
          <IconButton label={`Move ${shown} up`} disabled={onUp === undefined} onClick={onUp}>
            <ArrowUp className="size-4" />
          </IconButton>
          <IconButton label={`Move ${shown} down`} disabled={onDown === undefined} onClick={onDown}>
            <ArrowDown className="size-4" />
          </IconButton>
          <IconButton label={`Delete ${shown}`} onClick={onRemove}>
            <Trash2 className="size-4" />
          </IconButton>
        </div>
      </div>
      <Fields
        id={id}
        schema={schema}
        level={level}
        problemAt={problemAt}
        onChange={(changed) => onChange({ ...parameter, schema: changed })}
      />
    </fieldset>
  )
}
