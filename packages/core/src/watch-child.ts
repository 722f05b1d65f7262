import { failure, type Failure, type RunResult } from '@troupe/schema'
import type { OwnedDeadline } from './deadline.ts'
import { createDeadline } from './deadline.ts'
import { GRACE_MS } from './grace.ts'
import { write, type Run } from './run.ts'

/** Deeper trees than this give their upper levels no more grace: a run that is stopped is silent within two seconds. */
const MOST_LEVELS = 3

/** Sees to it that a parent never waits for a child that does not end (decision 5). */
export interface ChildWatch {
  /** The clock that the child's own stands under: a pause below reaches it. */
  readonly deadline: OwnedDeadline | undefined
  /** The child's result, or why it was abandoned: its time or the parent's is over, and the grace as well. */
  settle(running: Promise<RunResult>): Promise<RunResult | { readonly abandoned: Failure }>
}

/** Starts the watch with the child. Each level gets more grace than the one below it, so that the one that hangs is abandoned by its own parent. */
export function watchChild(
  run: Run,
  child: { readonly name: string; readonly remainingMs: number | undefined; readonly callId: string },
): ChildWatch {
  const { clock, maxDepth } = run.root
  const graceMs = GRACE_MS * Math.min(MOST_LEVELS, Math.max(1, maxDepth - run.depth))
  let abandon: ((why: Failure) => void) | undefined
  const { remainingMs } = child
  const deadline =
    remainingMs === undefined || remainingMs === Infinity
      ? undefined
      : createDeadline({
          ms: remainingMs + graceMs,
          clock,
          above: run.deadline,
          onExpire: () => abandon?.(overdue(child.name, remainingMs)),
        })
  return {
    deadline: deadline ?? run.deadline,
    settle: (running) =>
      new Promise((resolve, reject) => {
        let cancelGrace: (() => void) | undefined
        let isOver = false
        const off = run.stop.onStop((why) => {
          cancelGrace = clock.after(graceMs, () => abandon?.(why))
        })
        const end = (): boolean => {
          if (isOver) return false
          isOver = true
          off()
          cancelGrace?.()
          deadline?.clear()
          return true
        }
        abandon = (why) => {
          if (end()) resolve({ abandoned: why })
        }
        running.then(
          (result) => (end() ? resolve(result) : recordLate(run, child)),
          (error: unknown) => (end() ? reject(error as Error) : recordLate(run, child)),
        )
      }),
  }
}

function overdue(name: string, ms: number): Failure {
  return failure(
    'child_timeout',
    `The agent ${name} did not end within ${Math.round(ms)} ms and was abandoned.`,
  )
}

/** What comes after the deadline is recorded and delivered to nobody. */
export function recordLate(
  run: Run,
  { name, callId }: { readonly name: string; readonly callId: string },
): void {
  if (run.isOver) return
  write(
    run,
    'warning',
    { code: 'late_result', message: `${name} ended after it was abandoned; its result is not used.` },
    { callId },
  )
}
