import type { ReactElement } from 'react'
import { Field } from '../../ui/field.tsx'
import { INPUT_CLASSES, TextInput } from '../../ui/text-input.tsx'
import type { DraftSchema } from '../draft/draft.ts'
import { problemKey } from '../draft/from-draft.ts'
import { BoundsFields } from './bounds-fields.tsx'
import { InitialField } from './initial-field.tsx'
import { KindSelect } from './kind-select.tsx'
import { LinesField } from './lines-field.tsx'
import { ParameterList } from './parameter-list.tsx'
import type { SchemaFieldsProps } from './schema-fields-props.ts'

/** Edits the keywords of a type: description, default, allowed values, bounds, examples, properties. */
export function SchemaFields({ id, schema, level, problemAt, onChange }: SchemaFieldsProps): ReactElement {
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
            placeholder="What models read of it"
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
            Fields={SchemaFields}
          />
        </div>
      ) : null}
      <div className="grid items-start gap-3 sm:grid-cols-2">
        {hasValues ? (
          <LinesField
            label="Allowed values"
            hint="One a line; none: any"
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
            hint={kind === 'array' || kind === 'object' ? 'One a line, as JSON' : 'One a line'}
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
          label="Type of items"
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
      hint="What the builder does not draw: any JSON Schema."
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
