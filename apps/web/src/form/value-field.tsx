import { isJsonObject } from '@troupe/schema'
import type { ReactElement } from 'react'
import { ListField } from './list-field.tsx'
import { ObjectFields } from './object-fields.tsx'
import { ScalarField } from './scalar-field.tsx'
import type { ValueFieldProps } from './value-field-props.ts'

/** Edits a value by the type of its schema. */
export function ValueField(props: ValueFieldProps): ReactElement {
  const { type, properties, items } = props.schema
  if (type === 'object' && isJsonObject(properties))
    return <ObjectFields {...props} properties={properties} Member={ValueField} />
  if (type === 'array' && isJsonObject(items))
    return <ListField {...props} items={items} Member={ValueField} />
  return <ScalarField {...props} />
}
