import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import type { ReactElement } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field, INPUT_CLASSES, TextInput } from '../../ui/field.tsx'
import { emptyParameter, type DraftParameter, type DraftSchema } from '../draft/draft.ts'
import { problemKey } from '../draft/from-draft.ts'
import { BoundsFields, InitialField, KindSelect, LinesField, type ProblemLookup } from './keyword-fields.tsx'

/** Props of the fields of a schema. */
interface SchemaFieldsProps {
  readonly id: string
  readonly schema: DraftSchema
  /** Nesting depth; 1 for a parameter of the tool. */
  readonly level: number
  readonly problemAt: ProblemLookup
  readonly onChange: (schema: DraftSchema) => void
}

/** Edits the parameters of a tool or the properties of an object. */
export function ParameterList({
  members,
  onChange,
  problemAt,
  idPrefix,
  level,
}: {
  readonly members: readonly DraftParameter[]
  readonly onChange: (members: readonly DraftParameter[]) => void
  readonly problemAt: ProblemLookup
  /** Prefix of the ids of new parameters. */
  readonly idPrefix: string
  /** Nesting depth; 1 for the parameters of the tool. */
  readonly level: number
}): ReactElement {
  const move = (from: number, to: number): void => {
    const member = members[from]
    if (member !== undefined && to >= 0 && to < members.length)
      onChange(members.toSpliced(from, 1).toSpliced(to, 0, member))
  }
  return (
    <div className="flex flex-col gap-2">
      {members.map((member, index) => (
        <ParameterCard
          key={member.id}
          parameter={member}
          level={level}
          problemAt={problemAt}
          onChange={(changed) => onChange(members.with(index, changed))}
          onRemove={() => onChange(members.toSpliced(index, 1))}
          onUp={index === 0 ? undefined : () => move(index, index - 1)}
          onDown={index === members.length - 1 ? undefined : () => move(index, index + 1)}
        />
      ))}
      <Button
        className="self-start"
        onClick={() =>
          onChange([
            ...members,
            emptyParameter(`${idPrefix}.${crypto.getRandomValues(new Uint32Array(1))[0]}`),
          ])
        }
      >
        <Plus aria-hidden="true" className="size-3.5" />
        {level === 1 ? 'Add parameter' : 'Add property'}
      </Button>
    </div>
  )
}

/** Edits a parameter: its name, its type, whether it is required, and the fields of its type. */
function ParameterCard({
  parameter,
  level,
  problemAt,
  onChange,
  onRemove,
  onUp,
  onDown,
}: {
  readonly parameter: DraftParameter
  readonly level: number
  readonly problemAt: ProblemLookup
  readonly onChange: (parameter: DraftParameter) => void
  readonly onRemove: () => void
  readonly onUp: (() => void) | undefined
  readonly onDown: (() => void) | undefined
}): ReactElement {
  const { id, name, isRequired, schema } = parameter
  const displayName = name === '' ? 'new parameter' : name
  return (
    <fieldset
      aria-label={`Parameter ${displayName}`}
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
          <IconButton label={`Move ${displayName} up`} disabled={onUp === undefined} onClick={onUp}>
            <ArrowUp className="size-4" />
          </IconButton>
          <IconButton label={`Move ${displayName} down`} disabled={onDown === undefined} onClick={onDown}>
            <ArrowDown className="size-4" />
          </IconButton>
          <IconButton label={`Delete ${displayName}`} onClick={onRemove}>
            <Trash2 className="size-4" />
          </IconButton>
        </div>
      </div>
      <SchemaFields
        id={id}
        schema={schema}
        level={level}
        problemAt={problemAt}
        onChange={(changed) => onChange({ ...parameter, schema: changed })}
      />
    </fieldset>
  )
}

/** Edits the keywords of a type: description, default, allowed values, bounds, examples, properties. */
function SchemaFields({ id, schema, level, problemAt, onChange }: SchemaFieldsProps): ReactElement {
  const { kind } = schema
  const change = (part: Partial<DraftSchema>): void => onChange({ ...schema, ...part })
  if (kind === 'other')
    return <OtherField id={id} schema={schema} problemAt={problemAt} onChange={onChange} />
  const hasValues = kind === 'string' || kind === 'number' || kind === 'integer'
  return (
    <>
      <Field label="Description">
        {(props) => (
          <TextInput
            {...props}
            placeholder="The description that models read"
            value={schema.description}
            onChange={(event) => change({ description: event.target.value })}
          />
        )}
      </Field>
      {kind === 'array' ? (
        <ItemsFields id={id} schema={schema} level={level} problemAt={problemAt} onChange={onChange} />
      ) : null}
      {kind === 'object' ? (
        <div className="border-l-2 border-line pl-3">
          <ParameterList
            members={schema.members}
            onChange={(members) => change({ members })}
            problemAt={problemAt}
            idPrefix={id}
            level={level + 1}
          />
        </div>
      ) : null}
      <div className="grid items-start gap-3 sm:grid-cols-2">
        {hasValues ? (
          <LinesField
            label="Allowed values"
            hint="One per line; empty allows any value"
            lines={schema.values}
            problem={problemAt(problemKey(id, 'values'))}
            onChange={(values) => change({ values })}
          />
        ) : null}
        {kind === 'object' ? null : (
          <InitialField
            schema={schema}
            problem={problemAt(problemKey(id, 'initial'))}
            onChange={(initial) => change({ initial })}
          />
        )}
        <BoundsFields id={id} schema={schema} problemAt={problemAt} onChange={change} />
        {kind === 'boolean' ? null : (
          <LinesField
            label="Examples"
            hint={kind === 'array' || kind === 'object' ? 'One per line, as JSON' : 'One per line'}
            lines={schema.examples}
            problem={problemAt(problemKey(id, 'examples'))}
            onChange={(examples) => change({ examples })}
          />
        )}
      </div>
    </>
  )
}

function ItemsFields({ id, schema, level, problemAt, onChange }: SchemaFieldsProps): ReactElement | null {
  const { items } = schema
  if (items === undefined) return null
  return (
    <fieldset aria-label="Items" className="flex min-w-0 flex-col gap-3 border-l-2 border-line pl-3">
      <div className="self-start">
        <KindSelect
          label="Item type"
          schema={items}
          onChange={(changed) => onChange({ ...schema, items: changed })}
        />
      </div>
      <SchemaFields
        id={`${id}.i`}
        schema={items}
        level={level + 1}
        problemAt={problemAt}
        onChange={(changed) => onChange({ ...schema, items: changed })}
      />
    </fieldset>
  )
}

function OtherField({ id, schema, problemAt, onChange }: Omit<SchemaFieldsProps, 'level'>): ReactElement {
  return (
    <Field
      label="JSON Schema"
      hint="Any JSON Schema that the form does not support."
      problem={problemAt(problemKey(id, 'json'))}
    >
      {(props) => (
        <textarea
          {...props}
          rows={5}
          spellCheck={false}
          value={schema.json}
          onChange={(event) => onChange({ ...schema, json: event.target.value })}
          className={`${INPUT_CLASSES} py-1.5 font-mono`}
        />
      )}
    </Field>
  )
}
