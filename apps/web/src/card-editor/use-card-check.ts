import type { AgentProblem } from '@troupe/client'
import { useEffect, useState } from 'react'
import { client, toRequestFailure, type RequestFailure } from '../api/client.ts'

/** The result of checking a text. */
export interface CardCheck {
  readonly problems: readonly AgentProblem[]
  /** True until the problems are those of the current text. */
  readonly isChecking: boolean
  readonly failure?: RequestFailure
}

/** Time after the last key press until a text is checked, in ms. */
const DELAY_MS = 250

/** Checks a text on the server after each change. Checks of earlier texts are aborted. */
export function useCardCheck(agent: string, text: string | undefined): CardCheck {
  const [checked, setChecked] = useState<
    Pick<CardCheck, 'problems' | 'failure'> & { readonly text?: string }
  >({
    problems: [],
  })
  useEffect(() => {
    if (text === undefined) return undefined
    const aborted = new AbortController()
    const { signal } = aborted
    const timer = setTimeout(() => {
      client.cards.check(agent, text, { signal }).then(
        (problems) => setChecked({ problems, text }),
        (thrown: unknown) => {
          if (!signal.aborted)
            setChecked(({ problems }) => ({ problems, text, failure: toRequestFailure(thrown) }))
        },
      )
    }, DELAY_MS)
    return () => {
      clearTimeout(timer)
      aborted.abort()
    }
  }, [agent, text])
  const { problems, failure } = checked
  const isChecking = text !== undefined && checked.text !== text
  return { problems, isChecking, ...(failure === undefined ? {} : { failure }) }
}
