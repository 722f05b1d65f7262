import { useState } from 'react'
import type { Answer, RequestFailure } from './request.ts'

/** Something that a person does with a button: one at a time, and its failure to be shown. */
export interface Action<Given extends readonly unknown[]> {
  run(...given: Given): void
  readonly isBusy: boolean
  readonly failure?: RequestFailure
}

/** Makes an action of a request. `onDone` is told the answer. */
export function useAction<Given extends readonly unknown[], T>(
  act: (...given: Given) => Promise<Answer<T>>,
  onDone?: (value: T) => void,
): Action<Given> {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<RequestFailure>()
  const run = (...given: Given): void => {
    if (isBusy) return
    setBusy(true)
    setFailure(undefined)
    void act(...given).then((answer) => {
      setBusy(false)
      if (answer.ok) onDone?.(answer.value)
      else setFailure(answer.failure)
    })
  }
  return { run, isBusy, ...(failure === undefined ? {} : { failure }) }
}
