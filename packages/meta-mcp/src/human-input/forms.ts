import {
  CLIENT_CAPABILITIES_META_KEY,
  inputResponse,
  type Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import {
  isJsonObject,
  type ApprovalDecision,
  type Approver,
  type JsonObject,
  type PersonAnswer,
  type Question,
  getOwn,
  type RunOptions,
} from '@troupe/schema'
import { plainText } from '@troupe/timeline'

/** A form for a person. */
export interface Form {
  readonly message: string
  /** JSON Schema of an object with primitive properties. */
  readonly schema: JsonObject
}

/** Response to a form. The content comes from the client and is not validated. */
export interface FormAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>>
}

/** Creates the form for a question: its own form, or a single field. */
export function questionForm({ question, choices, form }: Question): Form {
  if (form !== undefined) return { message: question, schema: form }
  return {
    message: question,
    schema: {
      type: 'object',
      properties: {
        answer: { type: 'string', ...(choices === undefined ? {} : { enum: [...choices] }) },
      },
      required: ['answer'],
    },
  }
}

/** Returns the answer of the person; `undefined` if the response is invalid and the question is repeated. */
export function readAnswer(
  { form, choices }: Question,
  { action, content }: FormAnswer,
): PersonAnswer | undefined {
  if (action === 'decline') return { answered: false, reason: 'the person declined' }
  if (action === 'cancel') return { answered: false, reason: 'the person gave no answer' }
  if (form !== undefined)
    return isJsonObject(content)
      ? { answered: true, text: JSON.stringify(content), values: content }
      : undefined
  const answer = content?.['answer']
  if (typeof answer !== 'string') return undefined
  return choices === undefined || choices.includes(answer) ? { answered: true, text: answer } : undefined
}

const ONCE = 'allow once'
const SESSION = 'allow in this session'
const ALWAYS = 'always allow'
const DENY = 'deny'

/**
 * Creates the form for an approval, with the whole call and its arguments. Control characters in them are
 * escaped.
 */
export function approvalForm({
  instance,
  toolName,
  args,
  reason,
}: Pick<Parameters<Approver>[0], 'instance' | 'toolName' | 'args' | 'reason'>): Form {
  const lines = [
    `${plainText(instance)} wants to call ${plainText(toolName)} with`,
    visible(JSON.stringify(args, null, 2)),
    ...(reason === undefined ? [] : [plainText(reason)]),
  ]
  return {
    message: lines.join('\n'),
    schema: {
      type: 'object',
      properties: {
        answer: {
          type: 'string',
          title: 'Allow it?',
          enum: reason === undefined ? [ONCE, SESSION, ALWAYS, DENY] : [ONCE, DENY],
        },
      },
      required: ['answer'],
    },
  }
}

/**
 * Returns the decision of the person; `undefined` if the response is invalid and the question is repeated.
 */
export function readApproval({ action, content }: FormAnswer): ApprovalDecision | undefined {
  if (action !== 'accept')
    return {
      decision: 'denied',
      reason: action === 'decline' ? 'the person denied the call' : 'the person gave no answer',
    }
  switch (content?.['answer']) {
    case ONCE:
      return { decision: 'approved' }
    case SESSION:
      return { decision: 'approved', remember: 'session' }
    case ALWAYS:
      return { decision: 'approved', remember: 'always' }
    case DENY:
      return { decision: 'denied', reason: 'the person denied the call' }
    default:
      return undefined
  }
}

/** Escapes invisible characters and those that change the text direction. */
function visible(text: string): string {
  return text.replaceAll(
    /[^\P{C}\n]|[\u2028\u2029]/gu,
    (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0') ?? ''}`,
  )
}

/**
 * Returns true if the client of a call supports form elicitation. Clients declare it with each request, or in
 * the older protocol when they connect.
 */
export function supportsForms(server: Server, { mcpReq: { envelope } }: ServerContext): boolean {
  const capabilities: unknown =
    envelope === undefined ? server.getClientCapabilities() : getOwn(envelope, CLIENT_CAPABILITIES_META_KEY)
  const elicitation = isJsonObject(capabilities) ? capabilities['elicitation'] : undefined
  if (!isJsonObject(elicitation)) return false
  // an empty capability means forms
  return elicitation['form'] !== undefined || elicitation['url'] === undefined
}

/** Longest delay a timer supports, in ms. */
const LONGEST_ROUND = 2 ** 31 - 1

/**
 * Server options for calls that ask a person. They set no limits, because the run limits the time and the
 * number of questions.
 */
export const INPUT_REQUIRED_OPTIONS: NonNullable<ServerOptions['inputRequired']> = {
  maxRounds: Number.MAX_SAFE_INTEGER,
  roundTimeoutMs: LONGEST_ROUND,
}

/** Returns the responses in a request, by the key of their form. */
export function formAnswers({ mcpReq }: ServerContext): ReadonlyMap<string, FormAnswer> {
  const { inputResponses } = mcpReq
  const answers = new Map<string, FormAnswer>()
  for (const key of Object.keys(inputResponses ?? {})) {
    const response = inputResponse(inputResponses, key)
    if (response.kind !== 'elicit') continue
    const { action, content } = response
    answers.set(key, { action, ...(content === undefined ? {} : { content }) })
  }
  return answers
}

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
