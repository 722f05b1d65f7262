import type { Json } from '@troupe/schema'
import type { FieldContext, FieldOutcome, FieldRow } from '@troupe/cards/formats'
import { drop, dropWithWarning, ignored, isText, mappingOf, textOf, translated } from '../rules/field-rule.ts'
import { nestedRows, type NestedKeys } from '../rules/nested-keys.ts'
import { hasShell } from './goose-extensions.ts'
import { withRecipeFolder } from './goose-templates.ts'

const OF_PROMPT = translated('instruction')
const RETRY_KEYS: NestedKeys = {
  max_retries: OF_PROMPT,
  checks: OF_PROMPT,
  on_failure: OF_PROMPT,
  timeout_seconds: drop('see `limits.toolTimeout`'),
  on_failure_timeout_seconds: drop('see `limits.toolTimeout`'),
}

/** Rows of the documentation for the keys of `retry`. */
export const RETRY_ROWS: readonly FieldRow[] = nestedRows('retry', RETRY_KEYS)

/** Key that carries the text about checks until the prompt is complete. */
const RETRY = '(retry)'

/**
 * Tells the model to run the checks of `retry` itself, because commands only run as calls of `shell.execute`,
 * which can be approved and denied.
 */
export function putRetry(value: Json, field: FieldContext): FieldOutcome {
  const { max_retries: retries, checks, on_failure: onFailure } = mappingOf(value)
  const commands = (Array.isArray(checks) ? (checks as readonly Json[]) : [])
    .map((check) => textOf(mappingOf(check)['command']))
    .filter((command) => command !== '')
  const isPossible = commands.length > 0 && hasShell(field.card.fields['extensions'])
  dropWithWarning(
    isPossible
      ? 'the checks are part of the prompt, and nothing enforces them'
      : 'the agent has no shell for the checks',
  ).apply?.(value, field)
  if (!isPossible) return ignored('the agent has no shell for the checks')
  const again = `start again from the beginning, at most ${textOf(retries, '1')} times`
  const lines = [
    'When you have finished, check the result. Run each of these commands with shell.execute:',
    ...commands.map((command) => fenced(command)),
    isText(onFailure) && onFailure.trim() !== ''
      ? `If one of them fails, run this command and ${again}:\n${fenced(onFailure)}`
      : `If one of them fails, ${again}.`,
  ]
  field.rewriter.put([RETRY], lines.join('\n'), field.from)
  return undefined
}

function fenced(command: string): string {
  return ['```sh', command.trim(), '```'].join('\n')
}

/** Appends the text about checks to the prompt. */
export function appendChecks({ rewriter, card }: FieldContext): void {
  const checks = rewriter.get([RETRY])
  if (!isText(checks)) return
  const instruction = textOf(rewriter.get(['instruction'])).trimEnd()
  rewriter.remove([RETRY])
  rewriter.remove(['instruction'])
  rewriter.put(['instruction'], `${instruction}\n\n${withRecipeFolder(checks, card)}`, ['retry'])
}
