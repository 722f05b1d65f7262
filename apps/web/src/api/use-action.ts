import { useState } from 'react'
import { serverLink } from '../link/server-link.ts'
import { useServerLink } from '../link/use-server-link.ts'
import type { Answer, RequestFailure } from './request.ts'

/** Something that a person does with a button: one at a time, and its failure to be shown. */
export interface Action<Given extends readonly unknown[]> {
  run(...given: Given): void
  readonly isBusy: boolean
  readonly failure?: RequestFailure
}

/** A request that failed, and how often the server had answered again by then. */
export interface FailedAction {
  readonly failure: RequestFailure
  readonly returns: number
}

/** Returns the failure to show: that the server does not answer is over once it has answered again. */
export function currentFailure(
  failed: FailedAction | undefined,
  returns: number,
): RequestFailure | undefined {
  if (failed?.failure.code === 'server_unreachable' && failed.returns !== returns) return undefined
  return failed?.failure
}

/** Makes an action of a request. `onDone` is told the answer. */
export function useAction<Given extends readonly unknown[], T>(
  act: (...given: Given) => Promise<Answer<T>>,
  onDone?: (value: T) => void,
): Action<Given> {
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<FailedAction>()
  const run = (...given: Given): void => {
    if (isBusy) return
    setBusy(true)
    setFailed(undefined)
    void act(...given).then((answer) => {
      setBusy(false)
      if (answer.ok) onDone?.(answer.value)
      else setFailed({ failure: answer.failure, returns: serverLink.getState().returns })
    })
  }
  const failure = currentFailure(failed, useServerLink().returns)
  return { run, isBusy, ...(failure === undefined ? {} : { failure }) }
}
