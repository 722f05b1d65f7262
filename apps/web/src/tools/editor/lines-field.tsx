import { useState, type ReactElement } from 'react'
import { Field } from '../../ui/field.tsx'
import { INPUT_CLASSES } from '../../ui/text-input.tsx'

/** Edits several values, one per line. Empty lines stay in the text but are not values. */
export function LinesField({
  label,
  hint,
  lines,
  problem,
  onChange,
}: {
  readonly label: string
  readonly hint: string
  readonly lines: readonly string[]
  readonly problem: string | undefined
  readonly onChange: (lines: readonly string[]) => void
}): ReactElement {
  const [text, setText] = useState(lines.join('\n'))
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(props) => (
        <textarea
          {...props}
          rows={1}
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            onChange(event.target.value.split('\n').filter((line) => line.trim() !== ''))
          }}
          className={`${INPUT_CLASSES} field-sizing-content min-h-8 resize-none py-1.5 font-mono`}
        />
      )}
    </Field>
  )
}
