import type { RunOptions } from '@troupe/schema'
import { approvalForm, questionForm, readAnswer, readApproval, type Form, type FormAnswer } from './forms.ts'

/** Open forms of one call. */
export interface OpenForms {
  /** Forms by the key of their response. */
  readonly forms: ReadonlyMap<string, Form>
  /**
   * Opens a form until it is answered. If `read` returns `undefined`, the form stays open. A number is
   * appended to a `key` that is in use. Rejects when `signal` aborts.
   */
  ask<T>(
    formRequest: { readonly key: string; readonly form: Form; read(answer: FormAnswer): T | undefined },
    signal: AbortSignal,
  ): Promise<T>
  /**
   * Delivers responses. A response without an open form is held for a form that opens later in this round.
   */
  answer(answers: ReadonlyMap<string, FormAnswer>): void
  /** Resolves when a form is open. */
  waitForForm(): Promise<void>
}

export function createOpenForms(): OpenForms {
  const forms = new Map<string, Form>()
  const takers = new Map<string, (answer: FormAnswer) => boolean>()
  let early = new Map<string, FormAnswer>()
  let wakers: (() => void)[] = []

  function close(key: string): void {
    forms.delete(key)
    takers.delete(key)
  }

  function freeKey(wanted: string): string {
    let key = wanted
    for (let count = 2; forms.has(key); count += 1) key = `${wanted}_${count}`
    return key
  }

  return {
    forms,
    ask: ({ key: wanted, form, read }, signal) =>
      new Promise((resolve, reject) => {
        const key = freeKey(wanted)
        const leave = (): void => {
          close(key)
          reject(signal.reason as Error)
        }
        const take = (answer: FormAnswer): boolean => {
          const value = read(answer)
          if (value === undefined) return false
          close(key)
          signal.removeEventListener('abort', leave)
          resolve(value)
          return true
        }
        if (signal.aborted) return leave()
        const said = early.get(key)
        early.delete(key)
        if (said !== undefined && take(said)) return undefined
        forms.set(key, form)
        takers.set(key, take)
        signal.addEventListener('abort', leave, { once: true })
        for (const wake of wakers) wake()
        wakers = []
        return undefined
      }),
    answer(answers) {
      early = new Map(answers)
      for (const [key, answer] of answers) {
        const take = takers.get(key)
        if (take === undefined) continue
        early.delete(key)
        take(answer)
      }
    },
    waitForForm: () =>
      forms.size > 0 ? Promise.resolve() : new Promise((resolve) => void wakers.push(resolve)),
  }
}

const QUESTION = 'answer'

/**
 * Creates `approve` and `ask` for a run from the open forms. The key of an approval contains its unguessable
 * id, so that a client cannot approve in advance.
 */
export function createPerson(questions: OpenForms): Required<Pick<RunOptions, 'approve' | 'ask'>> {
  return {
    approve: (request, signal) =>
      questions.ask(
        { key: `approval ${request.approvalId}`, form: approvalForm(request), read: readApproval },
        signal,
      ),
    ask: (question, signal) =>
      questions.ask(
        {
          key: question.name ?? QUESTION,
          form: questionForm(question),
          read: (answer) => readAnswer(question, answer),
        },
        signal,
      ),
  }
}
