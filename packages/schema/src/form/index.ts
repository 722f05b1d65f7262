export type {
  ChoiceField,
  FieldBase,
  FormField,
  GroupField,
  JsonField,
  ListField,
  NumberField,
  SwitchField,
  TextField,
  VariantField,
} from './form-field.ts'
export { fieldLabel } from './field-label.ts'
export { formFields } from './form-fields.ts'
export { formValues } from './form-values.ts'
