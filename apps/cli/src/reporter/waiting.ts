import type { ApprovalRequest, Question } from '@troupe/schema'
import { plainText } from '@troupe/timeline'
import { formFields, formExample, type TerminalFormField } from '../input/form.ts'
import { withoutPassword } from '../run-store/open-store.ts'
import type { CommandContext } from '../terminal/context.ts'
import { runnable } from '../terminal/runnable.ts'
import type { Style } from '../terminal/terminal.ts'

const ARGS = 200

/** Returns the open approvals and questions, each with the command that answers it. */
export function waitingLines(
  approvals: readonly ApprovalRequest[],
  { store, env, style }: HintOptions & { readonly style: Style },
): readonly string[] {
  const file = storeOption(store)
  return approvals.flatMap((request) =>
    request.asks === undefined
      ? approvalLines(request, { file, env, style })
      : questionLines({ ...request, asks: request.asks }, { file, env, style }),
  )
}

/** Options of a printed command. */
interface HintOptions {
  readonly store?: string | false | undefined
  readonly env: CommandContext['env']
}

interface LineFormat {
  /** The `--store` option of the printed commands, or empty. */
  readonly file: string
  readonly env: CommandContext['env']
  readonly style: Style
}

function approvalLines(
  { rootRunId, approvalId, instance, toolName, args, reason }: ApprovalRequest,
  { file, env, style }: LineFormat,
): readonly string[] {
  const approve = runnable(`troupe runs approve ${rootRunId} ${approvalId}${file}`, env)
  return [
    `${plainText(instance)} wants to call ${style.bold(plainText(toolName))} ${plainText(JSON.stringify(args), { max: ARGS })}`,
    ...(reason === undefined ? [] : [`  ${plainText(reason)}`]),
    `  ${style.dim('decide')} ${approve}   (or --deny)`,
  ]
}

function questionLines(
  { rootRunId, approvalId, instance, asks }: ApprovalRequest & { readonly asks: Question },
  { file, env, style }: LineFormat,
): readonly string[] {
  const choices = (asks.choices ?? []).map((choice, index) => `  ${index + 1}) ${plainText(choice)}`)
  const answer = asks.form === undefined ? '"…"' : `'${plainText(formExample(asks.form), { max: ARGS })}'`
  return [
    `${plainText(instance)} asks: ${plainText(asks.question)}`,
    ...choices,
    ...(asks.form === undefined ? [] : formFields(asks.form).map(fieldLine)),
    `  ${style.dim('answer')} ${runnable(`troupe runs answer ${rootRunId} ${approvalId}${file} ${answer}`, env)}`,
  ]
}

function fieldLine({ name, label, choices, hint, isRequired }: TerminalFormField): string {
  const titles = choices.map(({ title }, index) => `${index + 1}) ${title}`)
  const kind = titles.length === 0 ? hint : titles.join(' ')
  const more = [...(label === name ? [] : [label]), kind, ...(isRequired ? [] : ['optional'])]
  return `  ${plainText(`${name}: ${more.join(', ')}`)}`
}

/** Returns the command that resumes a run. It names no card if the store knows the cards of the run. */
export function resumeHint(
  runId: string,
  { knowsCards, store, env }: HintOptions & { readonly knowsCards: boolean },
): string {
  return runnable(`troupe run ${knowsCards ? '' : '<card> '}--resume ${runId}${storeOption(store)}`, env)
}

/** Returns the `--store` option of a printed command, with a leading space, or an empty string. */
export function storeOption(store: string | false | undefined): string {
  return typeof store === 'string' ? ` --store ${plainText(withoutPassword(store))}` : ''
}
