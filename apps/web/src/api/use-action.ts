import { useState } from 'react'
import type { RequestFailure, RequestResult } from './request.ts'
import { serverLink, useServerLink } from './server-link.ts'

/**
 * A request that a person triggers with a button. Runs once at a time; `failure` is set if the last one
 * failed.
 */
export interface Action<Args extends readonly unknown[]> {
  run(...args: Args): void
  readonly isBusy: boolean
  readonly failure?: RequestFailure
}

/** A failed request, with the value of `returns` at that time. */
interface FailedAction {
  readonly failure: RequestFailure
  readonly returns: number
}

/** Returns the failure to show. `server_unreachable` disappears once the server responds again. */
export function currentFailure(
  failed: FailedAction | undefined,
  returns: number,
): RequestFailure | undefined {
  if (failed?.failure.code === 'server_unreachable' && failed.returns !== returns) return undefined
  return failed?.failure
}

/** Creates an action from a request. `onDone` is called with the value of the response. */
export function useAction<Args extends readonly unknown[], T>(
  act: (...args: Args) => Promise<RequestResult<T>>,
  onDone?: (value: T) => void,
): Action<Args> {
  const [isBusy, setBusy] = useState(false)
  const [failed, setFailed] = useState<FailedAction>()
  const run = (...args: Args): void => {
    if (isBusy) return
    setBusy(true)
    setFailed(undefined)
    void act(...args).then((answer) => {
      setBusy(false)
      if (answer.ok) onDone?.(answer.value)
      else setFailed({ failure: answer.failure, returns: serverLink.getState().returns })
    })
  }
  const failure = currentFailure(failed, useServerLink().returns)
  return { run, isBusy, ...(failure === undefined ? {} : { failure }) }
}
