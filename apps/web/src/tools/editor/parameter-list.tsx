import { Plus } from 'lucide-react'
import type { ComponentType, ReactElement } from 'react'
import { Button } from '../../ui/button.tsx'
import { emptyParameter, type DraftParameter } from '../draft/draft.ts'
import { ParameterCard } from './parameter-card.tsx'
import type { SchemaFieldsProps, ProblemLookup } from './schema-fields-props.ts'

/** Edits the parameters of a tool or the properties of an object. */
export function ParameterList({
  members,
  onChange,
  problemAt,
  idPrefix,
  level,
  Fields,
}: {
  readonly members: readonly DraftParameter[]
  readonly onChange: (members: readonly DraftParameter[]) => void
  readonly problemAt: ProblemLookup
  /** Prefix of the ids of new parameters. */
  readonly idPrefix: string
  /** Nesting depth; 1 for the parameters of the tool. */
  readonly level: number
  /** The component that edits a schema. Passed as a prop, because schemas are nested. */
  readonly Fields: ComponentType<SchemaFieldsProps>
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
          Fields={Fields}
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
        {level === 1 ? 'Add a parameter' : 'Add a member'}
      </Button>
    </div>
  )
}
