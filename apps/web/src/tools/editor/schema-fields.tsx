import type { ReactElement } from 'react'
import { Field } from '../../ui/field.tsx'
import { INPUT_CLASSES, TextInput } from '../../ui/text-input.tsx'
import type { DraftSchema } from '../draft/draft.ts'
import { placeOf } from '../draft/from-draft.ts'
import { BoundsFields } from './bounds-fields.tsx'
import { InitialField } from './initial-field.tsx'
import { KindSelect } from './kind-select.tsx'
import { LinesField } from './lines-field.tsx'
import { ParameterList } from './parameter-list.tsx'
import type { SchemaFieldsProps } from './schema-fields-props.ts'

/** Edits the keywords of a type: description, default, allowed values, bounds, examples, properties. */
export function SchemaFields({ id, schema, level, told, onChange }: SchemaFieldsProps): ReactElement {
  const { kind } = schema
  const change = (part: Partial<DraftSchema>): void => onChange({ ...schema, ...part })
  if (kind === 'other') return <OtherField id={id} schema={schema} told={told} onChange={onChange} />
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
        <ItemsFields id={id} schema={schema} level={level} told={told} onChange={onChange} />
      ) : null}
      {kind === 'object' ? (
        <div className="border-l-2 border-line pl-3">
          <ParameterList
            members={schema.members}
            onChange={(members) => change({ members })}
            told={told}
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
            problem={told(placeOf(id, 'values'))}
            onChange={(values) => change({ values })}
          />
        ) : null}
        {kind === 'object' ? null : (
          <InitialField
            schema={schema}
            problem={told(placeOf(id, 'initial'))}
            onChange={(initial) => change({ initial })}
          />
        )}
        <BoundsFields id={id} schema={schema} told={told} onChange={change} />
        {kind === 'boolean' ? null : (
          <LinesField
            label="Examples"
            hint={kind === 'array' || kind === 'object' ? 'One a line, as JSON' : 'One a line'}
            lines={schema.examples}
            problem={told(placeOf(id, 'examples'))}
            onChange={(examples) => change({ examples })}
          />
        )}
      </div>
    </>
  )
}

function ItemsFields({ id, schema, level, told, onChange }: SchemaFieldsProps): ReactElement | null {
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
        told={told}
        onChange={(changed) => onChange({ ...schema, items: changed })}
      />
    </fieldset>
  )
}

function OtherField({ id, schema, told, onChange }: Omit<SchemaFieldsProps, 'level'>): ReactElement {
  return (
    <Field
      label="JSON Schema"
      hint="What the builder does not draw: any JSON Schema."
      problem={told(placeOf(id, 'json'))}
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
