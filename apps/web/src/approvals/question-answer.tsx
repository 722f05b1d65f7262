import type { ApprovalDecision, Json, JsonObject, Question } from '@troupe/schema'
import { useState, type ReactElement } from 'react'
import { ValueField } from '../form/value-field.tsx'
import { valueProblems } from '../form/value-problems.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { TextInput } from '../ui/field.tsx'
import { TOUCH } from './touch.ts'

/** Shows a question of a tool with its choices, its form, or a line for text. */
export function QuestionAnswer({
  question: { question, choices, form },
  isBusy,
  onDecide,
}: {
  readonly question: Question
  readonly isBusy: boolean
  readonly onDecide: (decision: ApprovalDecision) => void
}): ReactElement {
  const [text, setText] = useState('')
  const [values, setValues] = useState<JsonObject>({})
  const [wasTried, setTried] = useState(false)
  const problems = form === undefined ? [] : valueProblems(form, values)
  const send = (answer: string): void => {
    setTried(true)
    if (problems.length === 0)
      onDecide({ decision: 'approved', answer, ...(form === undefined ? {} : { values }) })
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        send(form === undefined ? text : JSON.stringify(values))
      }}
    >
      <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
        {question}
      </p>
      {form === undefined ? null : (
        <ValueField
          label=""
          schema={form}
          value={values}
          isRequired
          onChange={(value: Json | undefined) => setValues((value ?? {}) as JsonObject)}
          problemAt={(path) =>
            wasTried ? problems.find((problem) => problem.path === path)?.message : undefined
          }
          path=""
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {choices?.map((choice) => (
          <Button key={choice} className={TOUCH} disabled={isBusy} onClick={() => send(choice)}>
            {choice}
          </Button>
        ))}
        {choices === undefined && form === undefined ? (
          <TextInput
            aria-label="Answer"
            placeholder="Your answer"
            className={classNames(TOUCH, 'max-w-96')}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        ) : null}
        {choices === undefined ? (
          <Button
            tone="solid"
            type="submit"
            className={TOUCH}
            disabled={isBusy || (form === undefined && text.trim() === '')}
          >
            Answer
          </Button>
        ) : null}
        <Button
          tone="quiet"
          className={TOUCH}
          disabled={isBusy}
          onClick={() => onDecide({ decision: 'denied', reason: 'The person declined to answer.' })}
        >
          Decline to answer
        </Button>
      </div>
    </form>
  )
}
